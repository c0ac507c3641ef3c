"""The recurrent translator: a plain loop's numbers, step by step, in any batch, beam 1 greedy, looked at freely."""

import pytest
import torch
from torch import nn

from mirada.attention import Padding
from mirada.attention.record import joined, record
from mirada.decoding.beam import beam
from mirada.decoding.greedy import greedy
from mirada.layers.noise import Noise
from mirada.models.build import build
from mirada.models.config import RecurrentConfig
from mirada.models.recurrent import Recurrent

BEGIN, END, VOCABULARY = 1, 2, 23


def small_recurrent(layers=1, norm="none", residual=True, tied=True, cell="lstm", directions="both", **look):
    """A model of unlike widths but where the score compares states as they are."""
    same = look.get("score") == "dot"
    config = RecurrentConfig.model_validate(
        {
            "width": 10,
            "norm": norm,
            "tied": tied,
            "encoder": {"cell": cell, "width": 14, "layers": layers, "residual": residual, "directions": directions},
            "decoder": {"cell": cell, "width": 14 if same else 12, "layers": layers, "residual": residual},
            "attention": look,
        }
    )
    return build(config, VOCABULARY, seed=5)


CHOICES = {
    "no attention": {"score": "none"},
    "mean, before": {"score": "mean", "when": "before"},
    "mean, after": {"score": "mean", "when": "after", "cell": "gru"},
    "dot, after": {"score": "dot", "when": "after"},
    "dot, before": {"score": "dot", "when": "before", "layers": 2},
    "bilinear, fed": {"score": "bilinear", "when": "after", "feeding": True},
    "bilinear, after": {"score": "bilinear", "when": "after", "layers": 2, "norm": "rms"},
    "additive, after": {},
    "additive, before": {"when": "before"},
    "additive, GRU, deep": {"when": "before", "layers": 3, "cell": "gru", "norm": "layer", "residual": False},
    "additive, fed, deep": {"score": "additive", "when": "after", "feeding": True, "layers": 2, "cell": "rnn"},
    "one direction, two heads": {"when": "before", "heads": 2, "directions": "forward", "tied": False},
}


def sentences(lengths, seed=0):
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(3, VOCABULARY, (len(lengths), max(lengths)), generator=generator)
    padding = Padding.from_lengths(lengths)
    return tokens.masked_fill(~padding.real, 0), padding


@pytest.fixture(params=CHOICES, ids=str)
def model(request):
    made = small_recurrent(**CHOICES[request.param]).double().eval()
    with torch.no_grad():  # states that differ enough for a mistake to show
        for parameter in made.parameters():
            parameter.mul_(2).add_(0.05 * torch.randn_like(parameter))
    return made


@torch.no_grad()
def test_step_by_step_equals_all_at_once(model) -> None:
    source, padding = sentences([7, 3, 5])
    target, _ = sentences([6, 6, 6], seed=1)
    whole = model.output.scores(model(source, padding, target, None).flatten(0, 1)).view(3, 6, -1)
    state = model.start(source, padding)
    for place in range(6):
        scores, state = model.step(target[:, place], state)
        torch.testing.assert_close(scores, whole[:, place])


@torch.no_grad()
def test_a_row_does_not_depend_on_its_batch(model) -> None:
    source, padding = sentences([7, 3, 5])
    target, target_padding = sentences([4, 6, 2], seed=1)
    together = model(source, padding, target, target_padding)
    for row, (length, target_length) in enumerate([(7, 4), (3, 6), (5, 2)]):
        alone = model(source[row : row + 1, :length], None, target[row : row + 1, :target_length], None)
        torch.testing.assert_close(together[row, :target_length], alone[0])


@torch.no_grad()
def test_rows_can_be_chosen_in_the_middle(model) -> None:
    source, padding = sentences([7, 3, 5])
    rows = torch.tensor([2, 0, 2])
    _, state = model.step(torch.tensor([BEGIN] * 3), model.start(source, padding))
    scores, _ = model.step(torch.tensor([4, 5, 6]), state)
    chosen, _ = model.step(torch.tensor([4, 5, 6])[rows], state.select(rows))
    torch.testing.assert_close(chosen, scores[rows])


@torch.no_grad()
def test_beam_of_one_is_greedy(model) -> None:
    source, padding = sentences([7, 3, 5, 4])
    first, limits = torch.full((4,), BEGIN), torch.tensor([9, 5, 7, 1])
    one = greedy(model, model.start(source, padding), first, END, limits)
    narrow = beam(model, model.start(source, padding), first, END, limits, width=1)
    assert [hypothesis.tokens for hypothesis in one] == [found[0].tokens for found in narrow]


@torch.no_grad()
def test_recording_changes_no_bit_and_sees_every_place(model) -> None:
    source, padding = sentences([7, 3])
    target, target_padding = sentences([4, 6], seed=1)
    before = model(source, padding, target, target_padding)
    with record(model) as looks:
        during = model(source, padding, target, target_padding)
    assert torch.equal(before, during)
    attentions = model.looks_at_source()
    assert [look.attention for look in joined(looks)] == attentions
    for look in joined(looks):
        assert look.weights.shape[2:] == (6, 7)
        assert (look.weights[1, :, :, 3:] == 0).all()
        torch.testing.assert_close(look.weights.sum(-1), torch.ones_like(look.weights[..., 0]))


def test_padding_gets_no_gradient(model) -> None:
    source, padding = sentences([7, 3])
    target, target_padding = sentences([4, 4], seed=1)
    hidden = model(source, padding, target, target_padding)
    (gradient,) = torch.autograd.grad(hidden.sum(), model.embedding.weight)
    assert gradient.isfinite().all()
    assert (gradient[0] == 0).all()


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("look", [{"when": "before"}, {"when": "after"}, {"when": "after", "feeding": True}], ids=str)
def test_the_decoder_is_the_formula_written_as_a_loop(look, layers) -> None:
    """Bahdanau's and Luong's equations place by place with torch's cells, forward and gradient."""
    model = small_recurrent(score="additive", layers=layers, **look).double()
    target, _ = sentences([5, 5], seed=1)
    source, _ = sentences([4, 4])
    whole = model(source, None, target, None)
    parameters = list(model.parameters())
    weights = torch.randn_like(whole)
    plain = looped(model, source, target)
    torch.testing.assert_close(whole, plain)
    ours = torch.autograd.grad((whole * weights).sum(), parameters, allow_unused=True)
    theirs = torch.autograd.grad((plain * weights).sum(), parameters, allow_unused=True)
    for one, other in zip(ours, theirs, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            torch.testing.assert_close(one, other)


def looped(model: Recurrent, source, target):
    decoder, attention = model.decoder, model.decoder.cross_attention
    memory, last = model.encoder(model.embedding(source), None)
    layers = [tuple(part for part in state) for state in model.bridge(last)]
    said, fed = layers[-1][0], torch.zeros(len(source), model.embedding.width).double()

    def look(query):
        inner = attention.query_map(query)[:, None] + attention.key_map(memory)
        weights = (inner.tanh() @ attention.scorer.vector[0]).softmax(-1)
        return (weights[..., None] * memory).sum(1)

    out = []
    for token in target.unbind(1):
        x = model.embedding(token[:, None])[:, 0]
        context = look(said) if decoder.before else None
        late = [context] if decoder.before else [fed] if decoder.feeding else []
        inside = torch.cat([x, *late], -1)
        for number, cell in enumerate(decoder.stack.cells):
            arguments = inside, layers[number], cell.weight, cell.recurrent, cell.bias, cell.recurrent_bias
            layers[number] = torch.lstm_cell(*arguments)
            inside = layers[number][0] + (inside if number else 0)
        said = inside
        context = context if decoder.before else look(said)
        fed = torch.tanh(decoder.readout(torch.cat([said, context], -1)))
        out.append(fed)
    return torch.stack(out, 1)


def test_only_what_waits_for_a_look_is_stepped() -> None:
    stepped = {name: small_recurrent(**choice).decoder.stepwise for name, choice in CHOICES.items()}
    waits = ("dot, before", "additive, before", "additive, GRU, deep", "one direction, two heads")
    assert {name for name, found in stepped.items() if found} == {*waits, "bilinear, fed", "additive, fed, deep"}


def test_the_same_step_drops_the_same_numbers(model) -> None:
    source, padding = sentences([5, 4])
    target, target_padding = sentences([3, 3], seed=1)
    runs = [model(source, padding, target, target_padding, Noise(0.3, seed=7, step=step)) for step in (4, 4, 5)]
    assert torch.equal(runs[0], runs[1])
    assert not torch.equal(runs[0], runs[2])


def test_tied_or_not() -> None:
    tied, apart = small_recurrent(), small_recurrent(tied=False)
    assert tied.output.weight is tied.embedding.weight
    assert apart.output.weight is not apart.embedding.weight
    assert isinstance(apart.output.weight, nn.Parameter)
