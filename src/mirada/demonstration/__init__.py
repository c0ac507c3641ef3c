"""The demonstration: a translator trained on the embedded grammar, tested on what it never saw, and looked into."""
