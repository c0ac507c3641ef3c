"""Synthesis: pairs to train on that a model writes a side of, for distillation and for back-translation."""
