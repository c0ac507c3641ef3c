"""A policy as a run sees it: from settings to episodes, a model and its card."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from mirada import __version__
from mirada.corpora.grid_world import Episodes, World, play
from mirada.data.episodes import TOKENS, EpisodeBatch, EpisodeOrder
from mirada.models import policy_folder
from mirada.models.folder import MetricRecord, write_file
from mirada.models.policy import DecisionTransformer
from mirada.models.policy_folder import PolicyFolderConfig, policy_for
from mirada.tasks.policy import PolicyTask, score_policy
from mirada.training import curves
from mirada.training.best import take_best
from mirada.training.card_parts import training_part
from mirada.training.checkpoint import Progress
from mirada.training.facts import PreparedFacts
from mirada.training.forcing import TeacherForcing
from mirada.training.policy_config import EpisodesConfig, PolicyRunConfig
from mirada.training.preparing import DATA, FACTS, Files, Say
from mirada.training.record import RunRecord
from mirada.training.result import PolicyResult
from mirada.training.settings import ConfigError, Tree, merge, validate_as
from mirada.training.subject import Learner, Ready

VALIDATION_COST = 0.4  # of the time that training on as many tokens takes: no backward pass
TEST_COST = 1.0  # the same, step by step
TESTED = 50  # episodes for each return that is asked for
# Layers, width, and inner width of the feed-forward layers.
PRESETS = {"tiny": (1, 32, 128), "small": (2, 64, 256), "base": (4, 128, 512)}
SUITED = "small"


class EpisodesFacts(PreparedFacts):
    """What was played to learn from."""

    world: str
    train: int  # episodes
    dev: int
    behaviour: float  # their mean return
    best: float

    def told(self) -> str:
        parts = f"{self.train:,} episodes learnt from, {self.dev:,} looked at"
        return f"{parts}; their players reached {self.behaviour:.2f} on average"


@dataclass(frozen=True, eq=False)
class Played:
    """Episodes that are ready to learn from."""

    world: World
    train: Episodes
    dev: Episodes

    @property
    def facts(self) -> EpisodesFacts:
        """What they are, for people and programs."""
        returns = np.concatenate([self.train.returns, self.dev.returns])
        return EpisodesFacts(
            world="coins",
            train=len(self.train),
            dev=len(self.dev),
            behaviour=float(returns.mean()),
            best=float(returns.max()),
        )


def played(config: EpisodesConfig) -> Played:
    """Episodes of players of mixed skill, and those set aside."""
    world = World()
    episodes = play(world, config.episodes, config.seed)
    dev = max(1, round(config.dev_share * len(episodes)))
    return Played(world, episodes.part(dev, len(episodes)), episodes.part(0, dev))


@dataclass(frozen=True, eq=False)
class PolicyFamily:
    """A policy that was asked for."""

    files: Files
    output: Path
    settings: Tree
    where: str  # the settings are, for errors
    start: Path | None

    @property
    def presets(self) -> tuple[str, ...]:
        return tuple(PRESETS)

    @property
    def started(self) -> DecisionTransformer | None:
        return None

    def config(self, preset: str) -> PolicyRunConfig:
        if self.start is not None:
            raise ConfigError("--start is not for policies, which learn in minutes; leave it out")
        if self.files.train or self.files.dev or self.files.test:
            raise ConfigError("a policy learns from episodes that it plays itself; name no files")
        if preset not in PRESETS:
            raise ConfigError(f"--preset {preset} is no size of a policy; use {', '.join(PRESETS)}")
        layers, width, feed_forward = PRESETS[preset]
        below: Tree = {"model": {"width": width, "feed_forward": feed_forward, "stack": {"layers": layers}}}
        return validate_as(PolicyRunConfig, merge(below, self.settings), self.where)

    def sketch(self, preset: str) -> DecisionTransformer:
        return policy_for(World(), self.config(preset).model)

    def prepare(self, preset: str, say: Say) -> Ready:
        found = played(self.config(preset).data)
        facts = found.facts
        say(
            f"{facts.train:,} episodes to learn from, {facts.dev:,} to look at; their players of mixed skill reached "
            f"{facts.behaviour:.2f} on average, {facts.best:g} at best."
        )
        (self.output / DATA).mkdir(exist_ok=True)
        write_file(self.output / DATA / FACTS, (facts.model_dump_json(indent=2) + "\n").encode())

        def subject(name: str) -> PolicySubject:
            return PolicySubject(self.output, self.config(name), found)

        return Ready(SUITED, subject)


@dataclass(frozen=True, eq=False)
class PolicySubject:
    """A policy with its episodes and its config."""

    folder: Path
    config: PolicyRunConfig
    played: Played

    @property
    def variants(self) -> int:
        return 1

    @property
    def largest(self) -> int:
        return TOKENS * self.played.world.steps

    @property
    def held_out(self) -> tuple[float, float]:
        asked = len(self.played.world.coins) + 1
        return VALIDATION_COST * len(self.played.dev) * self.largest, TEST_COST * asked * TESTED * self.largest

    def batches(self, budget: int, variants: int) -> EpisodeOrder:
        return EpisodeOrder(self.played.train, self.played.world, budget, self.config.training.seed)

    def learner(self, device: torch.device) -> Learner[EpisodeBatch]:
        model = policy_for(self.played.world, self.config.model, self.config.training.seed).to(device)
        task = PolicyTask(model, self.played.dev, self.played.world, device)
        return Learner(model, task, TeacherForcing(task))

    def finish(self, record: RunRecord, progress: Progress, say: Say) -> PolicyResult:
        world, facts = self.played.world, self.played.facts
        model = policy_for(world, self.config.model)
        task = PolicyTask(model, self.played.dev, world)
        best = take_best(self.folder, model, task, progress, "loss")
        result = PolicyResult(
            development=best.development,
            parameters=best.parameters,
            steps=best.steps,
            test=score_policy(model, world, TESTED, facts.behaviour),
        )
        score = MetricRecord(score=result.test.error, signature=result.test.signature)
        described = PolicyFolderConfig(
            mirada=__version__,
            behaviour=facts.behaviour,
            best=facts.best,
            scores={"error": score},
            model=self.config.model,
        )
        card = write_card(described, facts, record, progress, result, self.folder.name)
        policy_folder.save(self.folder, described, best.weights, card)
        curves.tell(self.folder, say)
        return result


def write_card(
    config: PolicyFolderConfig,
    facts: EpisodesFacts,
    record: RunRecord,
    progress: Progress,
    result: PolicyResult,
    name: str,
) -> str:
    """`card.md` of a policy, as Markdown."""
    test = result.test
    rows = zip(test.asked, test.reached, test.errors, strict=True)
    lines = [
        "# A policy",
        "",
        f"Made by mirada {__version__}. Use it: `mirada predict {name} --return 5`",
        "",
        "## Data",
        f"{facts.train:,} episodes of players of mixed skill in the world of coins, {facts.dev:,} set aside.",
        f"They reached {facts.behaviour:.2f} on average, {facts.best:g} at best.",
        "",
        "## Model",
        f"{config.model.kind}: {config.model.size}, {result.parameters:,} parameters.",
        "",
        *training_part(record, progress, result.steps, units=None),
        "## Scores",
        f"Loss of an action of the episodes set aside: {result.development.loss:.4f}. `{test.signature}`",
        "",
        "| asked | reached | mean error |",
        "|---|---|---|",
        *(f"| {asked} | {reached:.2f} | {error:.2f} |" for asked, reached, error in rows),
        "",
        f"Mean error {test.error:.2f}; of always reaching what the players reach, {test.behaviour_error:.2f}.",
    ]
    return "\n".join(lines) + "\n"
