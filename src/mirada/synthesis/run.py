"""What synthesis adds to a run: the request of `mirada train`, with synthetic pairs made for it.

- Distillation (Kim and Rush 2016, sequence level): a teacher translates the sources of the training pairs once, by
  beam search, and a student learns from what it said. That is simpler than what people wrote, so that a smaller
  student can learn it.
- Back-translation (Sennrich et al. 2016): a model of the reverse direction translates text of the target language,
  and the pairs turn round: what the model made is the source, what people wrote the target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mirada.corpora.languages import matches
from mirada.corpora.opening import require_file
from mirada.corpora.store import file_identity
from mirada.decoding.options import Search
from mirada.models.folder import FolderError
from mirada.synthesis import corpus
from mirada.synthesis.corpus import FOLDER, Plan
from mirada.synthesis.texts import lines_of, sources_of
from mirada.synthesis.writer import identity_of, languages_of
from mirada.training import record as records
from mirada.training.config import DataConfig
from mirada.training.preparing import require_alone
from mirada.training.report import Reporter
from mirada.training.run import Request, claim, examine
from mirada.training.settings import Tree
from mirada.translator import Translator

FORMAT = 1  # of what is made; a change makes old ones be made again
# A student reads real sources, which need no tag, and learns from its teacher alone.
STUDENT: Tree = {"data": {"synthetic": {"tag": False, "originals": 0}}}


def distill(request: Request, teacher: Path, reporter: Reporter) -> Request:
    """The request of a student, with what its teacher makes of the training sources."""
    data, files = _data_of(request), request.files
    for path in files.train:
        require_file(path)
    plan = Plan(
        request.output / FOLDER,
        {
            "format": FORMAT,
            "model": identity_of(teacher),
            "pairs": [file_identity(path) for path in files.train],
            "languages": [files.source, files.target],
            "columns": list(files.columns),
            "longest": data.longest_characters,
            "beam": data.synthetic.beam,
        },
        languages_of(teacher),
        Search(beam=data.synthetic.beam),
    )
    return _with_synthetic(
        request, plan, lambda: sources_of(files, data.longest_characters, reporter.say), teacher, reporter
    )


def back_translate(request: Request, monolingual: Sequence[Path], reverse: Path, reporter: Reporter) -> Request:
    """The request of a run, with what a model of the reverse direction makes of text in the target language."""
    data, target = _data_of(request), request.files.target
    _require_reverse(reverse, request.files.source, target)
    for path in monolingual:
        require_file(path)
    plan = Plan(
        request.output / FOLDER,
        {
            "format": FORMAT,
            "model": identity_of(reverse),
            "lines": [file_identity(path) for path in monolingual],
            "language": target,
            "longest": data.longest_characters,
            "beam": data.synthetic.beam,
            "most": data.synthetic.most,
        },
        languages_of(reverse),
        Search(beam=data.synthetic.beam),
        data.synthetic.most,
    )
    return _with_synthetic(
        request, plan, lambda: lines_of(monolingual, target, data.longest_characters), reverse, reporter
    )


def _data_of(request: Request) -> DataConfig:
    """The settings of the data of a run that can have synthetic pairs."""
    data = examine(request).data
    require_alone(data)
    return data


def _require_reverse(model: Path, source: str, target: str) -> None:
    """Refuse a model that does not translate from `target` to `source`."""
    reads, writes = languages_of(model)
    if not (matches(target, reads) and matches(source, writes)):
        raise FolderError(
            f"--reverse {model} translates from {reads} to {writes}; to help a translator from {source} to {target} it "
            f"must go from {target} to {source}: train one with --from {target} --to {source}"
        )


def _with_synthetic(
    request: Request, plan: Plan, read: Callable[[], Iterator[str]], model: Path, reporter: Reporter
) -> Request:
    """The request, with the file of a plan among its synthetic ones."""
    if records.read(request.output) is not None and not plan.path.exists():
        raise FolderError(
            f"{request.output} holds another run, which had no synthetic pairs from this data, model and beam; "
            "give the command of that run to go on, or another --output for a new one"
        )
    claim(request.output)
    path = corpus.make(plan, read, lambda: Translator.load(model), reporter.say)
    return replace(request, files=replace(request.files, synthetic=(*request.files.synthetic, path)))
