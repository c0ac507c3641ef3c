"""An `.argosmodel` package, which Argos Translate and LibreTranslate install.

    translate-en_es/metadata.json           languages and versions
    translate-en_es/model/…                 what CTranslate2 reads
    translate-en_es/sentencepiece.model     our subwords
    translate-en_es/README.md               the model's card, and what of the model is lost in the package

A zip file whose one folder is unpacked beside those of other packages. Tried with Argos Translate 1.11.0, which cuts a
text into sentences before it translates them (by a model that it downloads, if the package has none), each alone, hides
no placeholders, and writes every underscore as a space.
"""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from mirada import __version__
from mirada.export.folder import CARD, MODEL, SETTINGS, SUBWORDS, VOCABULARY, Exported

SUFFIX = ".argosmodel"
ARGOS = "1.9.0"  # the version of Argos Translate from which on it reads what we write
PACKAGE = "1000.0"  # LibreTranslate replaces a package by a later version of the same languages from its index
WHEN = (1980, 1, 1, 0, 0, 0)  # no time within: the same model gives the same bytes


def package_name(exported: Exported) -> str:
    """The name of the package and of its folder."""
    return f"translate-{_code(exported.source)}_{_code(exported.target)}"


def lost(exported: Exported) -> str | None:
    """What a model was trained to do and is never asked for in a package; None where it is all there."""
    if not exported.context:
        return None
    return (
        f"This model was trained to read up to {exported.context} sentences before each, and Argos Translate and "
        "LibreTranslate give it every sentence alone: what only those before could tell, such as what “it” stands "
        "for, is guessed there, and scores on documents do not hold. Documents are read by `mirada translate`; for a "
        "package, better train with --context 0."
    )


def pack(folder: Path, exported: Exported, package: Path) -> None:
    """Write the package of an exported folder."""
    name = package_name(exported)
    with ZipFile(package, "w", ZIP_DEFLATED) as file:
        _add(file, f"{name}/metadata.json", (json.dumps(metadata(exported), indent=2) + "\n").encode())
        for part in (SETTINGS, MODEL, VOCABULARY):
            _add(file, f"{name}/model/{part}", (folder / part).read_bytes())
        _add(file, f"{name}/sentencepiece.model", (folder / SUBWORDS).read_bytes())
        told = [(folder / CARD).read_bytes()] if (folder / CARD).is_file() else []
        told += [f"## In this package\n{warning}\n".encode()] if (warning := lost(exported)) else []
        if told:
            _add(file, f"{name}/README.md", b"\n".join(told))


def metadata(exported: Exported) -> dict[str, object]:
    """What Argos Translate wants to know of a package."""
    return {
        "package_version": PACKAGE,
        "argos_version": ARGOS,
        "type": "translate",
        "from_code": _code(exported.source),
        "from_name": exported.source,
        "to_code": _code(exported.target),
        "to_name": exported.target,
        "made_by": f"mirada {__version__}",
    }


def _code(tag: str) -> str:
    """The language of a tag: pt-BR is pt."""
    return tag.partition("-")[0].lower()


def _add(file: ZipFile, name: str, data: bytes) -> None:
    entry = ZipInfo(name, WHEN)
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    file.writestr(entry, data)
