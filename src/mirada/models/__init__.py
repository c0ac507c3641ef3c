"""Models: arguments to blocks and stacks, not copies of them."""
