"""English spelling: plurals, verb endings, and a or an."""

from __future__ import annotations

VOWELS = frozenset("aeiou")
HISSES = ("s", "x", "z", "ch", "sh")
# The grammar's words whose first sound is not that of their first letter would stand here;
# "university" and "hour" are the ones that a reader of the table might add.
VOWEL_SOUNDS = frozenset({"hour", "honest"})
CONSONANT_SOUNDS = frozenset({"university", "useful", "European", "one"})


def add_s(word: str) -> str:
    """The plural of a noun, or the third person of a verb: box → boxes, city → cities, play → plays."""
    if word.endswith("y") and word[-2] not in VOWELS:
        return word[:-1] + "ies"
    return word + ("es" if word.endswith((*HISSES, "go", "do")) else "s")


def add_ing(word: str) -> str:
    """The present participle of a verb that does not double its last letter: write → writing, see → seeing."""
    if word.endswith("e") and not word.endswith(("ee", "ye", "oe")):
        return word[:-1] + "ing"
    return word + "ing"


def add_ed(word: str) -> str:
    """The past of a regular verb: close → closed, cry → cried."""
    if word.endswith("e"):
        return word + "d"
    if word.endswith("y") and word[-2] not in VOWELS:
        return word[:-1] + "ied"
    return word + "ed"


def with_article(words: str) -> str:
    """The words after a or an, by the sound that follows: an old man, a very old man."""
    first = words.split(" ", 1)[0]
    vowel = first in VOWEL_SOUNDS or (first[0].lower() in VOWELS and first not in CONSONANT_SOUNDS)
    return f"{'an' if vowel else 'a'} {words}"


def possessive(words: str, plural: bool) -> str:
    """The owner before the thing: the girl's, the girls', the women's, Luis's."""
    return words + ("'" if plural and words.endswith("s") else "'s")
