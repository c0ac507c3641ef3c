"""`mirada predict` of a tagger: one column of CoNLL-U is filled, or words of plain lines are labelled."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mirada.cli.predicting import Asked, Remarks, chunks
from mirada.cli.saying import print_json, say

if TYPE_CHECKING:
    from mirada.corpora.conllu import Sentence
    from mirada.labeller import Tagged, Tagger

AT_ONCE = 1_000  # sentences
Answers = Iterator[tuple[bytes, "Tagged | None"]]


def predict_tags(asked: Asked) -> None:
    """Write every sentence with its labels; what is no sentence is written as it was, and told."""
    from mirada.corpora.conllu import is_conllu
    from mirada.labeller import Tagger

    tagger, remarks = Tagger.load(asked.model), Remarks()
    treebank = asked.given is not None and is_conllu(asked.given)
    answers = _filled(tagger, asked, remarks) if treebank else _labelled(tagger, asked)
    told: list[dict[str, object]] = []
    sentences = words = 0
    with asked.written() as out:
        for data, tagged in answers:
            if out is not None:
                out.write(data)
            if tagged is None:
                continue
            sentences, words = sentences + 1, words + len(tagged.words)
            if tagged.parts > 1:
                remarks.add(
                    f"sentence {sentences} has {len(tagged.words):,} words and was read in {tagged.parts} parts"
                )
            if asked.as_json:
                told.append(tagged.as_json())
    say(f"{words:,} words of {sentences:,} sentences labelled, {remarks.count:,} remarks")
    if asked.as_json:
        named = {"model": str(asked.model), "task": "tag", "column": tagger.config.column}
        print_json(named | {"sentences": told, "words": words, "remarks": remarks.count})


def _filled(tagger: "Tagger", asked: Asked, remarks: Remarks) -> Answers:
    """CoNLL-U with the model's column, and else byte for byte as it was."""
    from mirada.corpora.conllu import Sentence, column_of, read_blocks

    column = column_of(tagger.config.column)
    if asked.given is None:
        return
    for some in chunks(read_blocks(asked.given), AT_ONCE):
        good = [found for _, found in some if isinstance(found, Sentence) and found.words]
        answers = iter(tagger.tag([one.forms for one in good], [one.heads for one in good]) if good else [])
        for lines, found in some:
            if not isinstance(found, Sentence):
                remarks.add(f"{found.place}: {found.reason}; the sentence is left as it was")
                yield b"".join(lines), None
            elif not found.words:
                yield b"".join(lines), None
            else:
                tagged = next(answers)
                yield _bytes(found.filled(column, tagged.labels)), tagged


def _bytes(sentence: "Sentence") -> bytes:
    return b"".join(sentence.lines)


def _labelled(tagger: "Tagger", asked: Asked) -> Answers:
    """Lines of text: a word, a tab and its label on each line, and an empty line after a sentence."""
    from mirada.text.forms import forms_of

    for some in chunks(asked.lines, AT_ONCE):
        rows = [forms_of(line) for line in some]
        answers = iter(tagger.tag([row for row in rows if row]))
        for row in rows:
            tagged = next(answers) if row else None
            pairs = () if tagged is None else zip(tagged.words, tagged.labels, strict=True)
            yield ("".join(f"{word}\t{label}\n" for word, label in pairs) + "\n").encode(), tagged
