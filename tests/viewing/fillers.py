"""A tiny masked model without training."""

from mirada.filler import Filler
from mirada.models.config import StackConfig
from mirada.models.reading_config import EncoderConfig
from mirada.models.text_folders import MaskedFolderConfig, MaskingRecord, build_masked
from mirada.text.marks import word_beginnings
from tests.translators import subwords

SHAPE = EncoderConfig(width=12, feed_forward=17, stack=StackConfig(layers=2, heads=3))


def filler() -> Filler:
    known = subwords()
    masking = MaskingRecord(share=0.15, whole_words=True)
    config = MaskedFolderConfig(vocabulary=known.size, longest=40, masking=masking, next_sentence=False, model=SHAPE)
    model = build_masked(SHAPE, known.size, next_sentence=False, seed=3).eval()
    return Filler(config, model, known, word_beginnings(known))
