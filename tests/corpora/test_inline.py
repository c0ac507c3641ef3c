"""Inline tags: numbered signs in the text, and the same elements again from any text that holds them."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from mirada.corpora.inline import Numbering, UnknownEntityError, parts, write
from mirada.corpora.tmx import VOCABULARY as TMX
from mirada.corpora.xliff import VOCABULARY as XLIFF


def text_and_numbers(xml: str, vocabulary: object = XLIFF) -> tuple[str, Numbering]:
    numbering = Numbering()
    return numbering.text(parts(etree.fromstring(xml), vocabulary)), numbering  # type: ignore[arg-type]


def written(text: str, numbering: Numbering) -> tuple[str, bool]:
    target = etree.Element("s")
    faithful = write(target, text, numbering)
    return etree.tostring(target, encoding="unicode"), faithful


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        ("<s>plain &lt;b&gt; text</s>", "plain <b> text"),
        ('<s>a <g id="7">b <x id="9"/></g> c</s>', "a <1>b <2/></1> c"),
        ('<s><bx id="1"/>a<bx id="2"/>b<ex id="1"/>c<ex id="2"/></s>', "<1>a<2>b</1>c</2>"),
        ('<s><bpt id="1">&lt;b&gt;</bpt>x<ept id="1">&lt;/b&gt;</ept></s>', "<1>x</1>"),
        ('<s><bpt id="5" rid="1"/>x<ept id="6" rid="1"/></s>', "<1>x</1>"),
        ('<s><pc id="1">x<ph id="2"/></pc><sc id="3"/>y<ec startRef="3"/></s>', "<1>x<2/></1><3>y</3>"),
        ('<s>end<ec startRef="3"/> of one</s>', "end<1/> of one"),
        ('<s><ex id="1"/>wrong<bx id="1"/></s>', "<1/>wrong<1/>"),
        ('<s>a <mrk mtype="seg" mid="0">b</mrk></s>', "a b"),
        ('<s>a <mrk mtype="protected">CONST</mrk> <mrk id="m1" translate="no">X</mrk></s>', "a <1/> <2/>"),
        ('<s>a <mrk mtype="x-term" mid="4">b</mrk></s>', "a <1>b</1>"),
        ("<s>a<!-- note -->b<?pi?>c</s>", "abc"),
        ("<s>literal &lt;1&gt; and <x id='1'/></s>", "literal <1> and <2/>"),
        ('<s><x id="1"/><x id="1"/></s>', "<1/><2/>"),
        ("<s><strange>kept</strange></s>", "<1/>"),
    ],
)
def test_codes_become_numbers(xml: str, text: str) -> None:
    found, numbering = text_and_numbers(xml)
    assert found == text
    if "wrong" not in xml:
        back, faithful = written(found, numbering)
        assert faithful
        expected = etree.tostring(etree.fromstring(xml, etree.XMLParser(remove_comments=True, remove_pis=True)))
        if "seg" not in xml:
            assert etree.fromstring(back) is not None
            assert back.encode() == expected.replace(b'"/>', b'"/>')


def test_a_code_of_tmx_is_matched_by_x_and_else_by_what_it_holds() -> None:
    numbering = Numbering()
    source = etree.fromstring('<seg><ph x="1">A</ph> <ph>B</ph> <bpt i="1" x="5">(</bpt>c<ept i="1">)</ept></seg>')
    target = etree.fromstring('<seg><bpt i="9" x="5">(</bpt>c<ept i="9">)</ept> <ph>B</ph> <ph x="1">A</ph></seg>')
    assert numbering.text(parts(source, TMX)) == "<1/> <2/> <3>c</3>"
    assert numbering.text(parts(target, TMX), own=False) == "<3>c</3> <2/> <1/>"


def test_a_code_that_only_the_target_has_gets_a_number_of_its_own() -> None:
    numbering = Numbering()
    assert numbering.text(parts(etree.fromstring('<s><x id="1"/></s>'), XLIFF)) == "<1/>"
    assert numbering.text(parts(etree.fromstring('<s><x id="2"/><x id="1"/></s>'), XLIFF), own=False) == "<2/><1/>"


def test_an_entity_that_nobody_defined_is_an_error() -> None:
    parser = etree.XMLParser(resolve_entities=False)
    element = etree.fromstring(b'<!DOCTYPE s SYSTEM "none.dtd"><s>a&nbsp;b</s>', parser)
    with pytest.raises(UnknownEntityError, match="nbsp"):
        parts(element, XLIFF)


SEGMENT = '<s>a <g id="1">b <x id="2"/></g> c <bx id="3"/>d<ex id="3"/></s>'  # a <1>b <2/></1> c <3>d</3>


@pytest.mark.parametrize(
    ("text", "xml", "faithful"),
    [
        ("<3>D</3> <1>B</1> <2/>", '<s><bx id="3"/>D<ex id="3"/> <g id="1">B</g> <x id="2"/></s>', True),
        ("< 2/> < 1 >B</ 1> <3>D</3>", '<s><x id="2"/> <g id="1">B</g> <bx id="3"/>D<ex id="3"/></s>', True),
        ("nothing", '<s>nothing<g id="1"/><x id="2"/><bx id="3"/><ex id="3"/></s>', False),
        ("<1>B</1><1>C</1><2/><3>D</3>", '<s><g id="1">B</g>C<x id="2"/><bx id="3"/>D<ex id="3"/></s>', False),
        ("<1>B <3>D</3> <2/>", '<s><g id="1">B <bx id="3"/>D<ex id="3"/> <x id="2"/></g></s>', False),
        ("</1><2/><1>B</1><3>D</3>", '<s><x id="2"/><g id="1">B</g><bx id="3"/>D<ex id="3"/></s>', False),
        ("<1>B</1><2/><3>D", '<s><g id="1">B</g><x id="2"/><bx id="3"/>D<ex id="3"/></s>', False),
        ("<1/><2>x<3>D</3>", '<s>x<bx id="3"/>D<ex id="3"/><g id="1"/><x id="2"/></s>', False),
        (
            "<9><1>\x00B\x0b</1><2/><3>D</3>",
            '<s>&lt;9&gt;<g id="1">B</g><x id="2"/><bx id="3"/>D<ex id="3"/></s>',
            True,
        ),
    ],
)
def test_every_text_gives_valid_xml_with_every_code_once(text: str, xml: str, faithful: bool) -> None:
    _, numbering = text_and_numbers(SEGMENT)
    assert written(text, numbering) == (xml, faithful)


def test_elements_that_would_cross_are_closed_in_order() -> None:
    _, numbering = text_and_numbers('<s><g id="1">a</g><g id="2">b</g></s>')
    assert written("<1>a<2>b</1>c</2>", numbering) == ('<s><g id="1">a<g id="2">b</g></g>c</s>', False)


signs = st.sampled_from(["<1>", "</1>", "<2/>", "<3>", "</3>", "<1/>", "<2>", "</2>", "< 3 >", "word", " ", "<4>", "&"])


@given(st.lists(signs, max_size=14))
def test_whatever_a_model_writes_no_code_is_lost_or_doubled(pieces: list[str]) -> None:
    _, numbering = text_and_numbers(SEGMENT)
    xml, _ = written("".join(pieces), numbering)
    root = etree.fromstring(xml)
    codes = sorted(f"{child.tag}{child.get('id')}" for child in root.iter() if child is not root)
    assert codes == ["bx3", "ex3", "g1", "x2"]


@given(st.randoms(use_true_random=False))
def test_any_tree_of_codes_comes_back(chance: random.Random) -> None:
    counter = iter(range(1, 100))

    def grow(depth: int) -> str:
        kinds = ["text", "x"] + (["g"] if depth < 3 else [])
        made = []
        for _ in range(chance.randint(0, 3)):
            kind = chance.choice(kinds)
            number = next(counter)
            if kind == "text":
                made.append(chance.choice(["a", " ", "&lt;3&gt;", "&amp;", "ñ"]))
            elif kind == "x":
                made.append(f'<x id="{number}"/>')
            else:
                made.append(f'<g id="{number}">{grow(depth + 1)}</g>')
        return "".join(made)

    source = etree.tostring(etree.fromstring(f"<s>{grow(0)}</s>"), encoding="unicode")
    text, numbering = text_and_numbers(source)
    assert written(text, numbering) == (source, True)
