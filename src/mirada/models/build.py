"""From a config to a model."""

from __future__ import annotations

from typing import overload

from mirada.attention import Additive, Attention, Learned, Maps, Sinusoidal
from mirada.corpora.pictures.picture import PictureShape
from mirada.layers.bag import BagEmbedding
from mirada.layers.convolution import CausalConvolution
from mirada.layers.embedding import Embedding
from mirada.layers.patches import ConvolutionalPatches, Patches, PatchPlaces
from mirada.layers.recurrent import RecurrentEncoder, RecurrentStack
from mirada.layers.stack import Stack
from mirada.models.blocks import make_block, make_cross
from mirada.models.captioner import Captioner
from mirada.models.captioner_config import CaptionerConfig
from mirada.models.config import (
    AnyModelConfig,
    LanguageModelConfig,
    RecurrentConfig,
    RecurrentEncoderConfig,
    RecurrentLanguageConfig,
    TransformerConfig,
)
from mirada.models.drawn import drawn_from
from mirada.models.elmo import BothModels, ElmoReader, StaticReader
from mirada.models.encoder_decoder import TranslationModel
from mirada.models.language import AnyLanguageModel, CausalTransformer
from mirada.models.patches_config import PatchesConfig
from mirada.models.perceptron import PerceptronReader
from mirada.models.reading import EncoderReader, PatchReader, Reader, RecurrentReader
from mirada.models.reading_config import (
    AnyReadingConfig,
    ElmoConfig,
    EncoderConfig,
    FrozenConfig,
    PerceptronConfig,
    RecurrentReaderConfig,
    StaticConfig,
)
from mirada.models.recurrent import Recurrent, RecurrentDecoder
from mirada.models.recurrent_language import RecurrentLanguageModel
from mirada.models.transformer import Transformer


@overload
def build(
    config: TransformerConfig | RecurrentConfig, vocabulary: int, seed: int | None = None
) -> TranslationModel: ...


@overload
def build(
    config: LanguageModelConfig | RecurrentLanguageConfig, vocabulary: int, seed: int | None = None
) -> AnyLanguageModel: ...


@overload
def build(config: AnyReadingConfig, vocabulary: int, seed: int | None = None) -> Reader: ...


def build(
    config: AnyModelConfig | AnyReadingConfig, vocabulary: int, seed: int | None = None
) -> TranslationModel | AnyLanguageModel | Reader:
    """A fresh model. With a seed, the same numbers on every call, and torch's own generator is left as it was."""
    with drawn_from(seed):
        return _built(config, vocabulary)


def build_patches(config: PatchesConfig, shape: PictureShape, seed: int | None = None) -> PatchReader:
    """A fresh reader of pictures of this shape."""
    with drawn_from(seed):
        return _patches(config, shape)


def build_captioner(
    config: CaptionerConfig, shape: PictureShape, vocabulary: int, seed: int | None = None
) -> Captioner:
    """A fresh captioner of pictures of this shape."""
    with drawn_from(seed):
        crosses = [make_cross(config, config.cross) for _ in range(config.decoder.layers)]
        decoder = [make_block(config, config.decoder, cross, causal=True) for cross in crosses]
        embedding = Embedding(vocabulary, config.width, config.position)
        return Captioner(_patches(config.reader, shape), embedding, Stack(decoder, config.norm))


def _built(config: AnyModelConfig | AnyReadingConfig, vocabulary: int) -> TranslationModel | AnyLanguageModel | Reader:
    match config:
        case TransformerConfig():
            return _transformer(config, vocabulary)
        case RecurrentConfig():
            return _recurrent(config, vocabulary)
        case LanguageModelConfig():
            return _language_model(config, vocabulary)
        case RecurrentLanguageConfig():
            return _recurrent_language_model(config, vocabulary)
        case _:
            return _reader(config, vocabulary)


def _reader(config: AnyReadingConfig, vocabulary: int) -> Reader:
    match config:
        case EncoderConfig():
            return _encoder(config, vocabulary)
        case RecurrentReaderConfig():
            return _recurrent_reader(config, vocabulary)
        case ElmoConfig():
            models = BothModels(Embedding(vocabulary, config.width), config.layers)
            return ElmoReader(models, _task_recurrence(config, 2 * config.width))
        case StaticConfig():
            return StaticReader(Embedding(vocabulary, config.width), _task_recurrence(config, config.width))
        case PerceptronConfig():  # its vocabulary is as many numbers as enter
            return PerceptronReader(vocabulary, config.width, config.layers, config.activation)


def _transformer(config: TransformerConfig, vocabulary: int) -> Transformer:
    embedding = Embedding(vocabulary, config.width, config.position, config.position_join)
    encoder = [make_block(config, config.encoder, None, causal=False) for _ in range(config.encoder.layers)]
    decoder = [
        make_block(config, config.decoder, make_cross(config, config.cross), causal=True)
        for _ in range(config.decoder.layers)
    ]
    return Transformer(embedding, Stack(encoder, config.norm), Stack(decoder, config.norm))


def _language_model(config: LanguageModelConfig, vocabulary: int) -> CausalTransformer:
    embedding = Embedding(vocabulary, config.width, config.position)
    blocks = [make_block(config, config.stack, None, causal=True) for _ in range(config.stack.layers)]
    convolution = CausalConvolution(config.width, config.convolution) if config.convolution else None
    stack = Stack(blocks, config.norm)
    return CausalTransformer(embedding, stack, config.context, convolution, after_next=config.after_next)


def _recurrent_language_model(config: RecurrentLanguageConfig, vocabulary: int) -> RecurrentLanguageModel:
    stack = config.stack
    recurrence = RecurrentStack(
        stack.cell, config.width, stack.width, stack.layers, residual=stack.residual, norm=config.norm
    )
    embedding = Embedding(vocabulary, config.width)
    return RecurrentLanguageModel(embedding, recurrence, config.context, after_next=config.after_next)


def _encoder(config: EncoderConfig, vocabulary: int) -> EncoderReader:
    embedding = _read_embedding(config, vocabulary, config.position)
    blocks = [make_block(config, config.stack, None, causal=False) for _ in range(config.stack.layers)]
    return EncoderReader(embedding, Stack(blocks, config.norm), config.segments)


def _patches(config: PatchesConfig, shape: PictureShape) -> PatchReader:
    grid = config.grid(shape)
    patches = (Patches if config.stem == "linear" else ConvolutionalPatches)(grid, config.width)
    places = PatchPlaces(grid, config.width, config.position, config.prefix)
    blocks = [make_block(config, config.stack, None, causal=False) for _ in range(config.stack.layers)]
    return PatchReader(patches, places, Stack(blocks, config.norm))


def _recurrent_reader(config: RecurrentReaderConfig, vocabulary: int) -> RecurrentReader:
    return RecurrentReader(_read_embedding(config, vocabulary), _recurrent_encoder(config.stack, config))


def _read_embedding(
    config: EncoderConfig | RecurrentReaderConfig, vocabulary: int, position: Sinusoidal | Learned | None = None
) -> Embedding:
    """A vector for each subword; where whole words are read, the sum of all that is known of each."""
    kind = BagEmbedding if config.spelling else Embedding
    return kind(vocabulary + config.spelling, config.width, position)


def _task_recurrence(config: FrozenConfig, entered: int) -> RecurrentEncoder | None:
    """What a task learns over vectors that it does not learn."""
    if not config.task_layers:
        return None
    return RecurrentEncoder("lstm", entered, config.task_width, config.task_layers, norm=config.norm)


def _recurrent(config: RecurrentConfig, vocabulary: int) -> Recurrent:
    reading, writing, look = config.encoder, config.decoder, config.attention
    encoder = _recurrent_encoder(reading, config)
    attention = _look_back(config)
    stack = RecurrentStack(
        writing.cell,
        config.width,
        writing.width,
        writing.layers,
        late=RecurrentDecoder.late_width(attention, config.width, look.when, feeding=look.feeding),
        residual=writing.residual,
        norm=config.norm,
    )
    decoder = RecurrentDecoder(stack, attention, config.width, look.when, feeding=look.feeding)
    return Recurrent(Embedding(vocabulary, config.width), encoder, decoder, tied=config.tied)


def _recurrent_encoder(
    stack: RecurrentEncoderConfig, config: RecurrentConfig | RecurrentReaderConfig
) -> RecurrentEncoder:
    return RecurrentEncoder(
        stack.cell,
        config.width,
        stack.width,
        stack.layers,
        stack.directions,
        residual=stack.residual,
        norm=config.norm,
    )


def _look_back(config: RecurrentConfig) -> Attention | None:
    """The decoder's attention: the states themselves are compared and gathered, but for the additive score's maps."""
    look = config.attention
    if look.score is None:
        return None
    mapped = isinstance(look.score, Additive)
    maps = Maps(query=mapped, key=mapped, value=False, output=False)
    width, memory = config.decoder.width, config.encoder.width
    return Attention(width, heads=look.heads, score=look.score, memory_width=memory, maps=maps)
