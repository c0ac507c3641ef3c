"""Serving: models behind HTTP, for LibreTranslate's clients, for programs, and for people with a browser."""
