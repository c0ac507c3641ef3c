"""Corpora: bilingual text from people's own files, every unit accounted for."""
