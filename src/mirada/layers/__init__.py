"""Layers: what stands around the attention in a model."""
