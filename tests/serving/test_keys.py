"""API keys."""

from pathlib import Path

import pytest

from mirada.serving.keys import Keys
from mirada.serving.problem import Problem

KEY, OTHER = "k" * 16, "o" * 20


def test_without_keys_everyone_is_served() -> None:
    Keys().require(None)


@pytest.mark.parametrize("given", [(KEY, None), (OTHER, None), (None, f"Bearer {KEY}"), ("", f"Bearer {OTHER}")])
def test_who_has_one_is_served(given: tuple[str | None, str | None]) -> None:
    Keys([KEY, OTHER]).require(*given)


@pytest.mark.parametrize(
    "given", [(None, None), ("", ""), (KEY[:-1], None), (None, KEY), ("\ud800", None), (f"{KEY} ", f"Bearer {KEY}")]
)
def test_who_has_none_is_not(given: tuple[str | None, str | None]) -> None:
    with pytest.raises(Problem) as refused:
        Keys([KEY]).require(*given)
    assert refused.value.status == 403
    assert KEY not in refused.value.reason


def test_a_file_of_keys(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text(f"# ours\n\n  {KEY}\n{OTHER}\n")
    Keys.read(path).require(OTHER)
    for text, told in (("# none\n", "holds no key"), ("short\n", "key 1 has 5 characters; use 16 or more")):
        path.write_text(text)
        with pytest.raises(ValueError, match=told):
            Keys.read(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="no text in UTF-8"):
        Keys.read(path)
