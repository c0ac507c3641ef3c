"""What attention and layers are made of: maps, norms, dropout, looks and the loss, each with its own gradient.

Where a model learns in bf16 on a processor that multiplies it, and the library of `mirada.native` was compiled, an
operation is one call of it: no copies, no masks, nothing prepared for a new size. Elsewhere it is what torch does.
"""
