"""Decoding: from a model's next-token scores to whole sequences. It knows no model, only the protocol."""
