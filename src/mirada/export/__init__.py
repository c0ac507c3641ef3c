"""Exported models: written for CTranslate2 and Argos Translate, and translated with."""
