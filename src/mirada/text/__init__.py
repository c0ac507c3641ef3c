"""Text: normalisation, protected symbols and subwords."""
