"""What attention and layers are made of: maps, norms, dropout, looks and the loss, each with its own gradient.

Where a model learns on a processor with AVX-512 (for bf16, with AVX-512 BF16), and the libraries of `mirada.native`
were compiled, an operation is one call of one of them: no copies, no masks, nothing prepared for a new size. Elsewhere
it is what torch does.
"""
