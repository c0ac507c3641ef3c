"""Routes: one file for each kind of question that a server answers."""
