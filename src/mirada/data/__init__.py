"""Data: from a token store to batches, in an order that can be taken up anywhere."""
