"""Who computes: a library where a model learns in bf16 or float32 with one thread, and torch everywhere else."""

import threading

import pytest
import torch

from mirada.native import learning
from mirada.native.learning import Numbers
from mirada.operations import choice

LEARNT = torch.ones(2, 3).bfloat16()


@pytest.fixture
def available(monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    """As if the libraries were there."""
    asked = choice.why_not
    monkeypatch.setattr(choice, "why_not", lambda kind: None if kind in choice.NUMBERS else asked(kind))


@pytest.mark.usefixtures("available")
class TestWhereItIsThere:
    @pytest.mark.parametrize("kind", [torch.bfloat16, torch.float32])
    def test_what_it_serves(self, kind) -> None:
        learnt = LEARNT.to(kind)
        assert choice.compiled(learnt)
        assert choice.compiled(learnt, learnt, learnt.clone().requires_grad_())

    @pytest.mark.parametrize("kind", [torch.float16, torch.float64])
    def test_no_other_precision(self, kind) -> None:
        assert not choice.compiled(LEARNT.to(kind))

    @pytest.mark.parametrize("kind", [torch.float16, torch.float32, torch.float64])
    def test_not_several_precisions_at_once(self, kind) -> None:
        assert not choice.compiled(LEARNT, LEARNT.to(kind))
        assert not choice.compiled(LEARNT.to(kind), LEARNT)

    def test_no_other_device(self) -> None:
        assert not choice.compiled(LEARNT, LEARNT.to("meta"))

    def test_not_without_gradients(self) -> None:
        with torch.no_grad():
            assert not choice.compiled(LEARNT)
            with torch.enable_grad():
                assert choice.compiled(LEARNT)
        with torch.inference_mode():
            assert not choice.compiled(LEARNT)

    def test_not_where_several_threads_may_be_used(self) -> None:
        torch.set_num_threads(2)
        assert not choice.compiled(LEARNT)
        torch.set_num_threads(1)
        assert choice.compiled(LEARNT)

    def test_not_within_by_torch(self) -> None:
        with choice.by_torch():
            assert not choice.compiled(LEARNT)
            with choice.by_torch():
                assert not choice.compiled(LEARNT)
            assert not choice.compiled(LEARNT), "the outer one goes on"
        assert choice.compiled(LEARNT)

    def test_an_error_ends_by_torch(self) -> None:
        with pytest.raises(ValueError, match="of the caller"), choice.by_torch():
            raise ValueError("of the caller")
        assert choice.compiled(LEARNT)

    def test_other_threads_are_within_by_torch_too(self) -> None:
        found = []

        def ask() -> None:
            torch.set_num_threads(1)
            found.append(choice.compiled(LEARNT))

        with choice.by_torch():
            asker = threading.Thread(target=ask)
            asker.start()
            asker.join()
        assert found == [False]


class TestWhyNot:
    @pytest.fixture(autouse=True)
    def unasked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nothing is remembered, before and after."""
        choice.why_not.cache_clear()
        yield
        choice.why_not.cache_clear()

    @pytest.fixture(autouse=True)
    def pretended(self, monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
        """A processor without AMX, and both libraries."""
        monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
        monkeypatch.setattr(learning, "why_not", lambda _: None)

    def test_the_reason_of_the_library(self, monkeypatch) -> None:
        reasons = {Numbers.BF16: "this processor has no AVX-512 BF16", Numbers.FLOAT32: None}
        monkeypatch.setattr(learning, "why_not", reasons.__getitem__)
        assert choice.why_not(torch.bfloat16) == "this processor has no AVX-512 BF16"
        assert not choice.compiled(LEARNT)
        assert choice.why_not(torch.float32) is None
        assert choice.compiled(LEARNT.float())

    def test_a_processor_with_which_torch_is_faster(self, monkeypatch) -> None:
        """It multiplies tiles of bf16, not of float32."""
        monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: True)
        assert "AMX" in choice.why_not(torch.bfloat16)
        assert not choice.compiled(LEARNT)
        assert choice.compiled(LEARNT.float())

    @pytest.mark.parametrize("kind", ["float16", "float64"])
    def test_numbers_without_a_library(self, kind) -> None:
        assert choice.why_not(getattr(torch, kind)) == f"it computes bf16 and float32, not {kind}"

    def test_no_reason(self) -> None:
        assert choice.why_not(torch.bfloat16) is None
        assert choice.compiled(LEARNT)


def test_an_address() -> None:
    assert choice.address(None) is None
    assert choice.address(LEARNT) == LEARNT.data_ptr()
