"""Tasks: what a run learns, how it is scored, and on what."""
