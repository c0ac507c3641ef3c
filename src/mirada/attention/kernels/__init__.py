"""The kernels: five ways to compute the same formula, siblings with one signature.

Each file has `refusal(problem)`, the reason why it cannot answer, or None; `pairs(problem)`, how many pairs it would
compute; and `run(problem)`, the answer. A query with nobody to look at gets zeros. None keeps state. Softmax
accumulates in float32.
"""
