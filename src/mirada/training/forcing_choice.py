"""From a config to a way to train."""

from __future__ import annotations

import torch

from mirada.data.batch import Batch
from mirada.models.encoder_decoder import TranslationModel
from mirada.tasks.task import Task
from mirada.training.forcing import Forcing, Sampling, TeacherForcing
from mirada.training.forcing_config import (
    ForcingConfig,
    ParallelConfig,
    ProfessorConfig,
    ScheduledConfig,
    TeacherConfig,
)
from mirada.training.forcing_professor import ProfessorForcing


def choose_forcing(
    config: ForcingConfig, task: Task[Batch], model: TranslationModel, seed: int, device: torch.device
) -> Forcing[Batch]:
    """The way to train that a config asks for."""
    match config:
        case ProfessorConfig():
            return ProfessorForcing(task, model, config, seed, device)
        case ScheduledConfig() | ParallelConfig():
            return Sampling(task, model, config, device)
        case TeacherConfig():
            return TeacherForcing(task)
