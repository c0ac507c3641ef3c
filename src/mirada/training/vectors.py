"""Word vectors as a run: words are counted, vectors learnt in stretches of the text, and a folder is written.

A stretch is a function of (seed, epoch, number), and what was learnt is saved between two of them, so that a run that
was stopped goes on as if it had not been. The products of a step are cut by rows and never race: the vectors do not
depend on luck, whatever the number of threads.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from mirada import __version__
from mirada.data.neighbours import STRETCH, NeighbourText
from mirada.models import folder as model_folder
from mirada.models import vectors_folder
from mirada.models.folder import FolderError
from mirada.models.vectors import WordVectors
from mirada.models.vectors_config import VectorsConfig
from mirada.models.vectors_folder import VectorsFolderConfig
from mirada.tasks.task import Score
from mirada.tasks.vectors import Inputs, Spelt, Table, cbow, skipgram
from mirada.text.ngrams import Spelling, default_buckets
from mirada.training import checkpoint
from mirada.training import record as records
from mirada.training.budget import Budget
from mirada.training.checkpoint import Progress
from mirada.training.preparing import Files
from mirada.training.record import RunRecord
from mirada.training.report import Reporter, Tick
from mirada.training.result import VectorsResult
from mirada.training.session import Outcome
from mirada.training.settings import ConfigError, Tree, validate_as
from mirada.training.stopping import Stop
from mirada.training.vectors_card import write_card
from mirada.training.vectors_config import VectorsRunConfig
from mirada.training.vectors_preparing import PreparedWords, prepare_words

USUAL_EPOCHS = 5.0
LEAST_RATE = 1e-4  # of the first, at the end
MEMORY = 0.98  # how much of the running mean of the loss stays at each step
WORDS, GRAMS, FORETOLD = "words", "grams", "foretold"


def config_of(settings: Tree, where: str) -> VectorsRunConfig:
    """The config of a run of word vectors, when it can be trained at all."""
    config = validate_as(VectorsRunConfig, settings, where)
    if config.model.kind == "imported":
        raise ConfigError(f"{where}: model.kind = imported is what others have trained; use skipgram or cbow")
    if config.training.budget.steps is not None:
        raise ConfigError("--steps does not fit word vectors, which pass over their text; use --epochs or --minutes")
    return config


def learn(files: Files, folder: Path, config: VectorsRunConfig, reporter: Reporter, stop: Stop) -> Outcome:
    """Train word vectors, or go on training, until the budget is used or the run is stopped."""
    begun = time.monotonic()
    if config.training.threads is not None:
        torch.set_num_threads(config.training.threads)
    before, identity = records.read(folder), _identity(files, config)
    if before is not None:
        records.require_same(folder, before, identity)
    prepared = prepare_words(folder, files, config.data, reporter.say)
    run = VectorsRun(folder, config, prepared)
    budget = _budget(run, before, begun)
    found = checkpoint.load(folder, reporter.warn)
    progress = found[0] if found else Progress()
    if _is_done(folder, before, budget):
        reporter.say(f"{folder} is finished: {progress.epoch:,} passes. Other vectors need another --output.")
        return Outcome(True, progress.step, budget.steps, None if before is None else before.result)
    if before is not None and before.budget.steps != budget.steps and progress.step:
        raise FolderError(
            f"{folder} was begun with {before.budget.epochs:g} passes, and its rate falls with them; "
            "give the same number to go on, or another --output"
        )
    decided: dict[str, object] = {"preset": "", "rate": config.training.rate, "threads": torch.get_num_threads()}
    record = RunRecord(task="vectors", identity=identity, asked=config.training.budget, budget=budget, decided=decided)
    records.write(folder, record)
    reporter.say(f"{run.model.kind}: {run.model.size}; {budget.epochs:g} passes ({budget.why}).")
    learner = Learner.begin(run.model, prepared, config.training.seed) if found is None else run.restore(found[1])
    stop.guarding = True
    progress = run.follow(learner, progress, budget.steps, reporter, stop)
    if progress.step < budget.steps:
        return Outcome(False, progress.step, budget.steps, None)
    result = run.finish(learner, progress)
    records.write(folder, record.model_copy(update={"status": "finished", "result": result}))
    return Outcome(True, progress.step, budget.steps, result)


def _identity(files: Files, config: VectorsRunConfig) -> dict[str, object]:
    """What makes a run this one: its files and its settings, but for how long it is and on how many cores it runs."""
    dumped = config.model_dump(mode="json")
    for name in ("budget", "save_minutes", "threads"):
        dumped["training"].pop(name)
    return {"task": "vectors", "data": files.identities, "settings": dumped}


def _is_done(folder: Path, before: RunRecord | None, budget: Budget) -> bool:
    if before is None or before.status != "finished" or not (folder / model_folder.WEIGHTS).exists():
        return False
    return budget.steps == before.budget.steps


@dataclass(frozen=True, eq=False)
class Learner:
    """The vectors of words, and those of what is foretold."""

    inputs: Inputs
    own: Table  # of words, and of n-grams behind them
    outputs: Table

    @classmethod
    def begin(cls, model: VectorsConfig, prepared: PreparedWords, seed: int) -> Learner:
        """Vectors before the first step, as in word2vec: small at random, and zeros for what is foretold."""
        chance = torch.Generator().manual_seed(seed)
        count = len(prepared.words) + ((model.buckets or 0) if model.subwords else 0)
        own = Table((torch.rand(count, model.width, generator=chance) - 0.5) / model.width)
        return cls.of(model, prepared, own, Table(torch.zeros(len(prepared.words), model.width)))

    @classmethod
    def of(cls, model: VectorsConfig, prepared: PreparedWords, own: Table, outputs: Table) -> Learner:
        """A learner with these tables."""
        if not model.subwords:
            return cls(own, own, outputs)
        count = len(prepared.words)
        spelling = Spelling(model.shortest, model.longest, model.buckets or 1)
        buckets, starts = (torch.from_numpy(one) for one in spelling.table(prepared.words.words))
        # Before the n-grams of each word stands its own row.
        members = torch.empty(len(buckets) + count, dtype=torch.int64)
        firsts = starts[:-1] + torch.arange(count)
        rest = torch.ones(len(members), dtype=torch.bool)
        rest[firsts] = False
        members[firsts], members[rest] = torch.arange(count), buckets + count
        return cls(Spelt(own, members, starts + torch.arange(count + 1)), own, outputs)

    def tensors(self) -> dict[str, Tensor]:
        """All that going on needs."""
        tables = {"own": self.own, "outputs": self.outputs}
        return {
            f"{name}.{part}": getattr(table, part) for name, table in tables.items() for part in ("rows", "squares")
        }


class VectorsRun:
    """A run whose words are known."""

    def __init__(self, folder: Path, config: VectorsRunConfig, prepared: PreparedWords) -> None:
        self.folder, self.config, self.prepared, model = folder, config, prepared, config.model
        if model.subwords and model.buckets is None:
            buckets = default_buckets(prepared.words.words, model.shortest, model.longest)
            model = model.model_copy(update={"buckets": buckets})
        self.model, words, training = model, prepared.words, config.training
        self.text = NeighbourText(
            prepared.text, words.counts, words.line_end, model.window, training.sample, training.seed
        )

    def restore(self, tensors: Mapping[str, Tensor]) -> Learner:
        """The learner that a checkpoint holds."""
        tables = [Table(tensors[f"{name}.rows"], tensors[f"{name}.squares"]) for name in ("own", "outputs")]
        return Learner.of(self.model, self.prepared, *tables)

    def stretch(self, learner: Learner, number: int, total: int) -> float:
        """Learn from one stretch; the mean loss."""
        learn_from = skipgram if self.model.kind == "skipgram" else cbow
        first, negatives = self.config.training.rate, self.model.negatives
        losses = []
        place = divmod(number, self.text.stretches)
        steps = list(self.text.stretch(*place))
        for done, batch in enumerate(steps):
            rate = first * max(LEAST_RATE, 1 - (number + done / len(steps)) / total)
            losses.append(learn_from(batch, learner.inputs, learner.outputs, negatives, rate))
        return float(torch.stack(losses).mean()) if losses else 0.0

    def follow(self, learner: Learner, progress: Progress, total: int, reporter: Reporter, stop: Stop) -> Progress:
        """All stretches from where the run stands to its end, or to where it is stopped."""
        saved, epoch_words = time.monotonic(), len(self.text.text)
        loss = progress.scores[-1].loss if progress.scores else None
        while progress.step < total and not stop.wanted:
            begun, number = time.monotonic(), progress.step
            found = self.stretch(learner, number, total)
            loss = found if loss is None else MEMORY * loss + (1 - MEMORY) * found
            seconds = time.monotonic() - begun
            read = min(STRETCH, epoch_words - number % self.text.stretches * STRETCH)
            progress = Progress(
                step=number + 1,
                updates=number + 1,
                epoch=(number + 1) // self.text.stretches,
                batch=(number + 1) % self.text.stretches,
                tokens=progress.tokens + read,
                seconds=progress.seconds + seconds,
                scores=(Score(step=number + 1, loss=loss),),
            )
            reporter.step(Tick(number + 1, total, number // self.text.stretches, found, read / max(seconds, 1e-9)))
            if time.monotonic() - saved > 60 * self.config.training.save_minutes:
                checkpoint.save(self.folder, progress, learner.tensors())
                saved = time.monotonic()
        checkpoint.save(self.folder, progress, learner.tensors())
        return progress

    def finish(self, learner: Learner, progress: Progress) -> VectorsResult:
        """Write the finished folder."""
        words, model = self.prepared.words, self.model
        table = learner.inputs.vectors(torch.arange(len(words)))
        grams, spelling = None, None
        if model.subwords and model.buckets is not None:
            used = learner.own.rows[len(words) :].clone()
            used[learner.own.squares[len(words) :] <= learner.own.squares.min()] = (
                0  # of a bucket that nothing fell into
            )
            grams, spelling = used.numpy(), Spelling(model.shortest, model.longest, model.buckets)
        vectors = WordVectors(words, table.numpy(), grams, spelling)
        result = VectorsResult(
            development=progress.scores[-1],
            parameters=learner.own.rows.numel(),
            steps=(),
            words=len(words),
            words_per_second=progress.tokens / max(progress.seconds, 1e-9),
        )
        described = VectorsFolderConfig(
            mirada=__version__,
            words=words.kind,
            lower=words.lower,
            vocabulary=len(words),
            model=model,
        )
        card = write_card(described, self.prepared.facts, progress, result, self.folder.name)
        vectors_folder.save(self.folder, described, vectors, card)
        return result


def _budget(run: VectorsRun, before: RunRecord | None, begun: float) -> Budget:
    """How many stretches are learnt from: those of the passes that were asked for, or of the time."""
    asked, stretches = run.config.training.budget, run.text.stretches
    if before is not None and asked == before.asked:
        return before.budget
    if asked.minutes is not None:
        trial = time.monotonic()
        run.stretch(Learner.begin(run.model, run.prepared, run.config.training.seed), 0, stretches)
        each = time.monotonic() - trial
        left = 60 * asked.minutes - (time.monotonic() - begun)
        steps = max(1, int(left / max(each, 1e-9)))
        why = f"what fits into {asked.minutes:g} minutes"
    else:
        epochs = asked.epochs or USUAL_EPOCHS
        steps = max(1, round(epochs * stretches))
        why = "usual for word vectors" if asked.epochs is None else "as asked"
    return Budget(steps=steps, validations=1, epochs=round(steps / stretches, 3), why=why)
