"""The contract between versions: what an older one wrote is still read."""

from mirada.viewing.contract import View
from tests.viewing.views import synthetic

SINCE = {"said", "lens"}  # fields of later versions


def test_a_view_of_an_older_version_is_read() -> None:
    whole = synthetic(["▁a", "▁cat"], ["▁un", "▁gato"])
    old = whole.model_dump(mode="json", exclude=SINCE)
    for step in old["steps"]:
        del step["place"]
    assert View.model_validate(old) == whole.model_copy(update={"lens": None})
