"""Messages: what clients send and what they get, by LibreTranslate's names where LibreTranslate has them."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

LONGEST_TAG = 35  # characters of a language's tag
LONGEST_NAME = 255  # of a model

LARGEST_SEED = 2**53 - 1  # the whole numbers that every JSON reader keeps
COLDEST, HOTTEST = 0.01, 100.0  # temperatures; beyond them a choice is certain, or any token as good as another

Texts = str | list[str]
ServedTask = Literal["translation", "lm", "mlm", "tag", "classify"]


def listed(texts: Texts) -> list[str]:
    """A text as a list of one."""
    return [texts] if isinstance(texts, str) else texts


class Request(BaseModel):
    """What every request may hold; what is not known is passed over, as clients of LibreTranslate expect."""

    model_config = ConfigDict(strict=True, frozen=True)

    api_key: str | None = Field(default=None, description="The key, where the server asks for one.")


class NamedRequest(Request):
    """A request for a model: the first that fits, or one by its name."""

    model: str | None = Field(default=None, max_length=LONGEST_NAME, description="A name from /models.")


class ModelRequest(NamedRequest):
    """A request for a translator: by its languages, or one of several for the same languages by its name."""

    source: str = Field(max_length=LONGEST_TAG, description="The language of the text, such as en, or auto.")
    target: str = Field(max_length=LONGEST_TAG, description="The language to translate into.")


class TranslateRequest(ModelRequest):
    """Texts to translate."""

    q: Texts = Field(description="A text, or a list of texts.")
    format: Literal["text", "html"] = Field(default="text", description="Whether tags are kept as tags.")
    alternatives: int = Field(default=0, ge=0, description="How many other translations are wanted.")
    beam: int | None = Field(default=None, ge=1, description="Candidates of the search; 1 is greedy.")


class DetectRequest(Request):
    """A text whose language is wanted."""

    q: str


class AttentionRequest(NamedRequest):
    """A sentence to look at; languages choose among translators."""

    q: str
    source: str | None = Field(default=None, max_length=LONGEST_TAG, description="Of a translator: as for /translate.")
    target: str | None = Field(default=None, max_length=LONGEST_TAG, description="Of a translator: as for /translate.")
    reference: str | None = Field(default=None, description="A translation that the model is made to say.")
    beam: int | None = Field(default=None, ge=1, description="Candidates of the search; 1 is greedy.")


class PairRequest(ModelRequest):
    """Texts with their translations."""

    q: Texts = Field(description="A text, or a list of texts.")
    translation: Texts = Field(description="Its translation, or a list with one for each text.")


class GenerateRequest(NamedRequest):
    """A beginning that a language model is to go on with."""

    prompt: str = Field(default="", description="The beginning of the text.")
    tokens: int = Field(default=200, ge=1, description="Characters or subwords to write.")
    temperature: float = Field(
        default=1.0, ge=COLDEST, le=HOTTEST, description="Below 1 likelier texts, above 1 more various ones."
    )
    top_k: int | None = Field(default=None, ge=1, le=1_000_000, description="Only so many of the likeliest tokens.")
    top_p: float = Field(default=1.0, gt=0, le=1, description="Only the likeliest tokens that reach this share.")
    seed: int = Field(default=0, ge=0, le=LARGEST_SEED, description="Another seed, another text.")
    n: int = Field(default=1, ge=1, description="Texts to write.")


class PredictRequest(NamedRequest):
    """Texts that a model is to fill, tag or classify."""

    q: Texts = Field(description="A text, or a list of texts; a gap to fill is written ___ or [MASK].")
    count: int = Field(default=5, ge=1, description="Candidates for each gap.")


class Detected(BaseModel):
    """A language that a text is likely in."""

    confidence: float = Field(ge=0, le=100, description="How sure that is, from 0 to 100.")
    language: str


class TranslateReply(BaseModel):
    """Translations: a text for a text, a list for a list, and so for all that is said about them."""

    translatedText: Texts  # noqa: N815 LibreTranslate's name
    detectedLanguage: Detected | list[Detected] | None = None  # noqa: N815
    alternatives: list[str] | list[list[str]] | None = None


class Language(BaseModel):
    """A language, and those that it can be translated into."""

    code: str
    name: str
    targets: list[str]


class ModelReply(BaseModel):
    """A model that is served."""

    name: str
    task: ServedTask
    source: str | None = Field(description="The language that a translator reads.")
    target: str | None = Field(description="The language that a translator writes.")
    engine: str = Field(description="What computes: native, ctranslate2 or torch.")
    attention: bool = Field(description="Whether /attention can look into it.")


class AlignReply(BaseModel):
    """The tokens of a pair, and for each token of the translation the one that it was looked up at."""

    source_tokens: list[str]
    tokens: list[str]
    links: list[tuple[int, int]] = Field(description="[source token, target token], from 0.")
    word_links: list[tuple[int, int]] = Field(description="The same between words.")


class ScoreReply(BaseModel):
    """How likely a model finds a translation."""

    tokens: list[str] = Field(description="The tokens, the end mark last.")
    log_probabilities: list[float] = Field(description="log p of each token after those before it.")
    log_probability: float = Field(description="Their sum.")
    score: float = Field(description="Their mean; greater is likelier.")


class WrittenText(BaseModel):
    """A beginning with what a language model wrote after it."""

    text: str
    tokens: int = Field(description="How many were written.")
    log_probability: float = Field(description="Of these.")


class GenerateReply(BaseModel):
    """What a language model wrote; the n-th text has the n-th seed from the one that was given."""

    model: str
    texts: list[WrittenText]


class CandidateWord(BaseModel):
    """What may stand in a gap."""

    text: str
    probability: float


class FilledText(BaseModel):
    """A text with the likeliest word in each gap, and for each gap what may stand there, the likeliest first."""

    text: str
    gaps: list[list[CandidateWord]]


class TaggedText(BaseModel):
    """The words of a text with their labels."""

    words: list[str]
    labels: list[str]
    probabilities: list[float]
    parts: int = Field(description="In which it was read: more than one where it is longer than the model reads.")


class ClassifiedText(BaseModel):
    """What a text is."""

    label: str
    probability: float
    probabilities: dict[str, float] = Field(description="Of every label.")
    cut: bool = Field(description="Whether the end of a long text was not read.")


Prediction = FilledText | TaggedText | ClassifiedText


class PredictReply(BaseModel):
    """What a model says of each text."""

    model: str
    task: ServedTask
    predictions: list[Prediction]


class Health(BaseModel):
    """Whether the server is well."""

    status: Literal["ok"] = "ok"


class Named(BaseModel):
    """A language by its code and its name."""

    code: str
    name: str


class Preferred(BaseModel):
    """The languages that a page begins with."""

    source: Named
    target: Named


class Settings(BaseModel):
    """What LibreTranslate's pages ask a server for."""

    apiKeys: bool  # noqa: N815
    charLimit: int  # noqa: N815
    frontendTimeout: int = 500  # noqa: N815 milliseconds after the last key before a text is sent
    keyRequired: bool  # noqa: N815
    language: Preferred | None = Field(description="None where there is no translator.")
    suggestions: bool = False
    supportedFilesFormat: list[str] = Field(default_factory=list)  # noqa: N815


class Point(BaseModel):
    """One measurement of a run."""

    step: int
    value: float


class Curves(BaseModel):
    """How a run goes."""

    name: str
    status: Literal["running", "finished", "unknown"]
    training: list[Point] = Field(description="The loss of a token, while training.")
    development: list[Point] = Field(description="The loss of a token, on the development set.")
    scores: dict[str, list[Point]] = Field(description="BLEU, chrF and so on, on the development set.")
