"""Evaluation: how good what a model gives is, in numbers that others can compute again."""
