"""Messages: what clients send and what they get, by LibreTranslate's names where LibreTranslate has them."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

LONGEST_TAG = 35  # characters of a language's tag
LONGEST_NAME = 255  # of a model

Texts = str | list[str]


class Request(BaseModel):
    """What every request may hold; what is not known is passed over, as clients of LibreTranslate expect."""

    model_config = ConfigDict(strict=True, frozen=True)

    api_key: str | None = Field(default=None, description="The key, where the server asks for one.")


class ModelRequest(Request):
    """A request for a model: by its languages, or one of several for the same languages by its name."""

    source: str = Field(max_length=LONGEST_TAG, description="The language of the text, such as en, or auto.")
    target: str = Field(max_length=LONGEST_TAG, description="The language to translate into.")
    model: str | None = Field(default=None, max_length=LONGEST_NAME, description="A name from /models.")


class TranslateRequest(ModelRequest):
    """Texts to translate."""

    q: Texts = Field(description="A text, or a list of texts.")
    format: Literal["text", "html"] = Field(default="text", description="Whether tags are kept as tags.")
    alternatives: int = Field(default=0, ge=0, description="How many other translations are wanted.")
    beam: int | None = Field(default=None, ge=1, description="Candidates of the search; 1 is greedy.")


class DetectRequest(Request):
    """A text whose language is wanted."""

    q: str


class AttentionRequest(ModelRequest):
    """A sentence to look at."""

    q: str
    reference: str | None = Field(default=None, description="A translation that the model is made to say.")
    beam: int | None = Field(default=None, ge=1, description="Candidates of the search; 1 is greedy.")


class PairRequest(ModelRequest):
    """Texts with their translations."""

    q: Texts = Field(description="A text, or a list of texts.")
    translation: Texts = Field(description="Its translation, or a list with one for each text.")


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
    source: str
    target: str
    engine: str = Field(description="What computes: torch or ctranslate2.")
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
    language: Preferred
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
