"""The worked examples print what the lectures print."""

from mirada.viewing.examples import worked_examples

PRINTED = {
    "softmax(13, 9, 9)": "0.96, 0.02, 0.02",
    "softmax((112, 96) / √64) = softmax(14, 12)": "0.88, 0.12",
    "softmax of (0.7), (0.1, 0.6), (0.1, 0.3, 0.6), (0.1, 0.3, 0.3, 0.3)": (
        "(1), (0.38, 0.62), (0.26, 0.32, 0.43), (0.21, 0.26, 0.26, 0.26)"
    ),
    "h(negro) = Σ α · word": ("0.025 el + 0.4 gato + 0.5 negro + 0.025 salta + 0.025 la + 0.025 cuerda"),
    "sin p, cos p, sin p/10, cos p/10 for p = 0 to 3 (width 4, base 100)": (
        "(0, 1, 0, 1), (0.84, 0.54, 0.1, 1), (0.91, −0.42, 0.2, 0.98), (0.14, −0.99, 0.3, 0.96)"
    ),
}


def test_every_result_is_the_printed_one() -> None:
    assert {example.formula: example.result for example in worked_examples()} == PRINTED


def test_every_example_has_a_title_of_its_own() -> None:
    titles = [example.title for example in worked_examples()]
    assert all(titles)
    assert len(set(titles)) == len(titles)
