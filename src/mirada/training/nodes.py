"""Node classification as a run sees it: from graphs and settings to a subject."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
from torch import nn

from mirada import __version__
from mirada.corpora.graphs import DEV, TEST, TRAIN
from mirada.data.nodes import ALL, NodeBatch, NodeBatches, whole_batch
from mirada.evaluation.nodes import NodeScore
from mirada.models import nodes_folder
from mirada.models.folder import MetricRecord
from mirada.models.graph import NodeGraph
from mirada.models.nodes import GraphNetwork, build_network
from mirada.models.nodes_folder import NodesFolderConfig
from mirada.tasks.nodes import NodeTask, judge, scores_of
from mirada.training import curves
from mirada.training.asked import Asked
from mirada.training.best import take_best
from mirada.training.checkpoint import Progress
from mirada.training.forcing import TeacherForcing
from mirada.training.nodes_card import write_card
from mirada.training.nodes_config import NodesRunConfig
from mirada.training.nodes_preparing import PreparedGraph, prepare_graph
from mirada.training.preparing import Say
from mirada.training.record import RunRecord
from mirada.training.result import NodesResult
from mirada.training.settings import ConfigError, validate_as
from mirada.training.subject import Learner, Ready

ONLY = "small"  # a graph network has one size until it is told another
WHOLE_UNTIL = 2_000_000  # edges that a step reads at once: a second of one core, and less than a gigabyte
DRAWN = (15, 10)  # neighbours in the last layer but one and in the last, as Hamilton et al. 2017 found enough
SKETCHED = 8  # features and labels of a sketch


@dataclass(frozen=True, eq=False)
class NodesFamily(Asked):
    """A graph network that was asked for."""

    @property
    def presets(self) -> tuple[str, ...]:
        return (ONLY,)

    @property
    def started(self) -> nn.Module | None:
        return None

    def config(self, preset: str) -> NodesRunConfig:
        if self.start is not None:
            raise ConfigError("--start is not for --task nodes: another graph has other features; leave it out")
        if preset != ONLY:
            raise ConfigError(f"--preset {preset} is not for --task nodes; use --set model.width=128 and its like")
        config = validate_as(NodesRunConfig, self.settings, self.where)
        fan_out = config.data.fan_out
        if fan_out is not None and len(fan_out) != config.model.layers:
            raise ConfigError(
                f"{self.where}: data.fan_out has {len(fan_out)} numbers for model.layers = {config.model.layers}; "
                "give one for each layer"
            )
        return config

    def sketch(self, preset: str) -> GraphNetwork:
        return build_network(self.config(preset).model, SKETCHED, SKETCHED)

    def prepare(self, preset: str, say: Say) -> Ready:
        config = self.config(preset)
        prepared = prepare_graph(self.output, self.files, config.data, config.training.seed, say)
        return Ready(ONLY, lambda name: NodesSubject(self.output, self.config(name), prepared))


@dataclass(frozen=True, eq=False)
class NodesSubject:
    """A graph network with its graph and its config."""

    folder: Path
    config: NodesRunConfig
    prepared: PreparedGraph

    @property
    def variants(self) -> int:
        return 1

    @property
    def largest(self) -> int:
        return 1

    @property
    def held_out(self) -> tuple[float, float]:
        facts = self.prepared.facts
        return 0.4 * facts.dev, 0.4 * facts.test  # without a backward pass

    @cached_property
    def learnt(self) -> NodeGraph:
        """The graph that is seen while learning."""
        graph = self.prepared.graph
        return graph.induced(torch.nonzero(graph.parts == TRAIN)[:, 0]) if self.prepared.facts.inductive else graph

    def batches(self, budget: int, variants: int) -> NodeBatches:
        graph, loops = self.learnt, self.config.data.loops
        seed = self.config.training.seed
        return NodeBatches(graph, graph.nodes_of(TRAIN), self.fan_out, max(1, budget), seed, loops=loops)

    @property
    def fan_out(self) -> tuple[int, ...]:
        """How many neighbours are drawn in each layer: all, until there are too many."""
        layers = self.config.model.layers
        if self.config.data.fan_out is not None:
            return self.config.data.fan_out
        if layers * len(self.learnt.keys) <= WHOLE_UNTIL:
            return (ALL,) * layers
        return (*[DRAWN[0]] * (layers - 1), DRAWN[1])

    def learner(self, device: torch.device) -> Learner[NodeBatch]:
        model = self._model(self.config.training.seed).to(device)
        task = self._task(model, device)
        return Learner(model, task, TeacherForcing(task))

    def finish(self, record: RunRecord, progress: Progress, say: Say) -> NodesResult:
        model, facts = self._model(), self.prepared.facts
        select = self.config.training.select
        best = take_best(self.folder, model, self._task(model), progress, select)
        test = self._test(model)
        result = NodesResult(
            development=best.development,
            parameters=best.parameters,
            steps=best.steps,
            test=test,
        )
        described = NodesFolderConfig(
            mirada=__version__,
            features=facts.features,
            labels=facts.labels,
            both=self.config.data.both,
            loops=self.config.data.loops,
            scaling=facts.scaling,
            scores={} if test is None else recorded(test),
            model=self.config.model,
        )
        card = write_card(described, facts, record, progress, result, self.folder.name)
        nodes_folder.save(self.folder, described, best.weights, card)
        curves.tell(self.folder, say)
        return result

    def _model(self, seed: int | None = None) -> GraphNetwork:
        facts = self.prepared.facts
        return build_network(self.config.model, facts.features, len(facts.labels), seed)

    @cached_property
    def _development(self) -> NodeBatch:
        return self._held_out(DEV)

    def _held_out(self, part: int) -> NodeBatch:
        graph = self.prepared.graph
        return whole_batch(graph, graph.nodes_of(part), self.config.model.layers, loops=self.config.data.loops)

    def _task(self, model: GraphNetwork, device: torch.device | None = None) -> NodeTask:
        return NodeTask(model, self._development, self.config.training.penalty, device)

    def _test(self, model: GraphNetwork) -> NodeScore | None:
        if not self.prepared.facts.test:
            return None
        batch = self._held_out(TEST)
        return judge(scores_of(model, batch), batch)


def recorded(test: NodeScore) -> dict[str, MetricRecord]:
    """A score as a folder keeps it."""
    return {"accuracy": MetricRecord(score=test.accuracy, signature=test.signature)}
