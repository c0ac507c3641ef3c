"""Small treebanks and tables, as tests of labels need them."""

from pathlib import Path

NOUNS = {"cat": "NOUN", "dog": "NOUN", "bird": "NOUN", "tree": "NOUN", "house": "NOUN"}
VERBS = {"sees": "VERB", "likes": "VERB", "finds": "VERB", "hears": "VERB"}
OTHERS = {"the": "DET", "a": "DET", "red": "ADJ", "small": "ADJ", ".": "PUNCT"}
TAGS = NOUNS | VERBS | OTHERS


def sentence(number: int) -> list[str]:
    """One of many sentences of a small grammar."""
    nouns, verbs = list(NOUNS), list(VERBS)
    subject, verb, thing = nouns[number % 5], verbs[number // 5 % 4], nouns[number // 20 % 5]
    middle = [["red"], ["small"], []][number // 3 % 3]
    return ["the", *middle, subject, verb, "a", thing, "."]


def as_conllu(words: list[str], number: int) -> str:
    """A sentence in CoNLL-U, with a comment and a range over its first two words."""
    lines = [f"# sent_id = {number}", f"1-2\t{words[0]}{words[1]}" + "\t_" * 8]
    for place, word in enumerate(words, start=1):
        upos = TAGS.get(word, "X")
        lines.append(f"{place}\t{word}\t_\t{upos}\t_\t_\t{place - 1}\tdep\t_\tSpaceAfter=No")
    return "\n".join(lines) + "\n\n"


def write_treebank(path: Path, count: int = 120, first: int = 0) -> Path:
    """A file of sentences."""
    path.write_text("".join(as_conllu(sentence(number), number) for number in range(first, first + count)))
    return path


def write_reviews(path: Path, count: int = 200) -> Path:
    """Texts whose label follows from one word, as SST-2 writes them."""
    good, bad = ("fine", "lovely", "great"), ("dull", "awful", "poor")
    lines = []
    for number in range(count):
        word = (good, bad)[number % 2][number // 2 % 3]
        lines.append(f"{1 - number % 2} the film about {sentence(number)[1]} number {number} is {word} .\n")
    path.write_text("".join(lines))
    return path


def write_rings(path: Path, count: int = 240) -> Path:
    """Points within and outside a ring, on very different scales: no line divides them."""
    rows = ["x,y,label\n"]
    for number in range(count):
        x, y = number % 16 - 7.5, number // 16 - 7.0
        rows.append(f"{1000 * x:.1f},{y / 1000:.5f},{'in' if x * x + y * y < 25 else 'out'}\n")
    path.write_text("".join(rows))
    return path
