"""Tags: the mark that a text of a language begins with, where one model writes several languages."""

from __future__ import annotations

from mirada.text.subwords import BEGIN, Subwords


def tag_of(language: str) -> str:
    """The piece that stands for a language."""
    return f"<2{language}>"


def tag_ids(subwords: Subwords, languages: tuple[str, ...]) -> dict[str, int]:
    """The id that the texts of each language begin with: its tag, or the begin mark where no language is named."""
    known = {piece: number for number, piece in enumerate(subwords.pieces)}
    missing = [language for language in languages if language and tag_of(language) not in known]
    if missing:
        raise ValueError(f"the subwords have no tag {tag_of(missing[0])}; they are from another model")
    return {language: known[tag_of(language)] if language else BEGIN for language in languages}
