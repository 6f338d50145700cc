"""Any text at all comes back from every export as itself."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from data.exports import ExportItem, export
from data.records import Identifiers, Paper
from tests.data.exports.files import SEEN, bib, csl, paper, ris, table

# Any text at all, and texts with the signs that some format gives a meaning.
SIGNS = st.text(alphabet=" \n\r\t{}\\\"'@%&#$_^~<>=,;:-|*[]()`!aZé王²ER\u2028\x85\x0c\x00\ud800")


ANY = st.one_of(st.text(st.characters(), max_size=60), SIGNS)


ITEMS = st.lists(
    st.builds(
        ExportItem,
        st.builds(
            Paper,
            id=st.integers(1, 5),
            title=ANY,
            title_derived=st.booleans(),
            abstract=ANY,
            authors=st.lists(ANY, max_size=3).map(tuple),
            identifiers=st.builds(
                Identifiers, arxiv=ANY | st.none(), doi=ANY | st.none(), url=ANY | st.none()
            ),
            topics=st.lists(ANY, max_size=2).map(tuple),
            categories=st.lists(ANY, max_size=2).map(tuple),
            sources=st.just(("arxiv",)),
            first_seen=st.just(SEEN),
            venue=ANY | st.none(),
            comment=ANY | st.none(),
            published=st.just(SEEN) | st.none(),
        ),
        votes=st.integers(0, 9) | st.none(),
        voters=st.lists(ANY, max_size=2).map(tuple),
        state=ANY | st.none(),
        reader=ANY | st.none(),
    ),
    max_size=3,
)


def plain(text: str) -> str:
    """What a file keeps of a text: the same characters less blanks and what can't be seen."""
    import unicodedata

    kept = (c for c in text if not c.isspace() and unicodedata.category(c) not in {"Cc", "Cs"})
    return unicodedata.normalize("NFC", "".join(kept)).strip("\ufffe\uffff")


@settings(deadline=None, max_examples=60)
@given(ITEMS)
def test_any_text_reads_back_from_bibtex_as_one_entry_a_paper(items):
    entries = bib(*items, decode=False)
    assert len({entry.key for entry in entries}) == len(items)
    for entry in entries:
        for field in entry.fields:
            assert field.value.count("{") == field.value.count("}")


LATIN = st.text(
    alphabet=st.sampled_from("abzABZ éüñçøłßÅ.,:;!?'`()+=/-&%#$_{}\\~^<>|"), max_size=40
)


@settings(deadline=None, max_examples=60)
@given(LATIN)
def test_text_in_latin_letters_comes_back_from_latex_unchanged(text):
    (entry,) = bib(ExportItem(paper(abstract=text, title="x")))
    read = entry.fields_dict["abstract"].value if "abstract" in entry.fields_dict else ""
    # bibtexparser reads \textasciicircum as the modifier letter that looks like it.
    assert read.replace("ˆ", "^") == " ".join(text.split())


@settings(deadline=None, max_examples=60)
@given(ITEMS)
def test_any_text_reads_back_from_ris(items):
    records = ris(*items)
    assert len(records) == len(items)
    for item, record in zip(items, records, strict=True):
        assert plain(record.get("title", "")) == plain(item.paper.title)
        assert plain(record.get("abstract", "")) == plain(item.paper.abstract)
        assert "unknown_tag" not in record


@settings(deadline=None, max_examples=60)
@given(ITEMS)
def test_any_text_reads_back_from_csl_json(items):
    entries = csl(*items)
    assert [plain(entry.get("title", "")) for entry in entries] == [
        plain(item.paper.title) for item in items
    ]
    assert max(Counter(entry["id"] for entry in entries).values(), default=1) == 1


@settings(deadline=None, max_examples=60)
@given(ITEMS)
def test_any_text_reads_back_from_the_table_and_no_cell_is_a_formula(items):
    rows = table(*items)
    assert len(rows) == len(items)
    for item, row in zip(items, rows, strict=True):
        assert plain(row["title"].removeprefix("'")) == plain(item.paper.title).removeprefix("'")
        assert not any(cell.startswith(tuple("=+-@\t\r")) for cell in row.values())
        assert all(cell == cell.strip() for cell in row.values())


@settings(deadline=None, max_examples=60)
@given(ANY)
def test_any_title_shows_in_markdown_as_itself_with_no_link_but_ours(title):
    text = export([ExportItem(paper(title=title, authors=()))], "md").content.decode()
    tokens = MarkdownIt("gfm-like").parse(text)
    (inline,) = [token for token in tokens if token.type == "inline"]
    children = inline.children or []
    links = [token.attrs["href"] for token in children if token.type == "link_open"]
    assert links in ([], ["https://arxiv.org/abs/2501.00001"])
    assert not [token for token in children if token.type in {"html_inline", "image"}]
    shown = "".join(token.content for token in children if token.type == "text")
    assert plain(title) in plain(shown)
