"""What the families of the tour learn from: each file writes one kind of data, all of it made here."""
