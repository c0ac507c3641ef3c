"""A translator whose looks are known: the n-th token of a target looks at the n-th token of its source."""

import torch
from torch import Tensor

from mirada.attention import Attention, Dot, Facts, Maps, Padding
from mirada.models.build import build
from mirada.models.folder import Loaded
from mirada.models.transformer import Transformer
from mirada.text.subwords import Subwords
from tests.translators import config, subwords

PLACES = 64
SHARP = 40.0  # the softmax of a score of 40 beside zeros is 1 to the last digit


class Diagonal(Transformer):
    """A Transformer that pays no heed to its weights and looks straight across, by one head of two."""

    crossing: Attention
    astray: bool

    def forward(
        self,
        source: Tensor,
        source_padding: Padding | None,
        target: Tensor,
        target_padding: Padding | None,
        noise: object = None,
    ) -> Tensor:
        rows = len(source)
        straight, lost = torch.eye(PLACES), torch.zeros(PLACES, PLACES)
        lost[:, 0] = float(self.astray)
        keys = torch.cat([straight, straight], 1)[: source.shape[1]].expand(rows, -1, -1)
        queries = SHARP * torch.cat([lost, straight], 1)[: target.shape[1]].expand(rows, -1, -1)
        return self.crossing(queries, self.crossing.remember(keys), Facts(source_padding))

    def looks_at_source(self) -> list[Attention]:
        return [self.crossing]


def diagonal(known: Subwords | None = None, *, astray: bool = False) -> Loaded:
    """The first head looks at all alike, or astray always at the first place; the second where it stands."""
    known = known or subwords()
    made = config(known=known)
    base = build(made.model, made.vocabulary, seed=3).eval()
    model = Diagonal(base.embedding, base.encoder, base.decoder).eval()
    model.crossing = Attention(2 * PLACES, heads=2, score=Dot(), maps=Maps.identity()).eval()
    model.astray = astray
    return Loaded(made, model, known)
