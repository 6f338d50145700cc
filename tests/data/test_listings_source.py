"""Bytes made into text: compression, encodings, and files that are no text at all."""

from __future__ import annotations

import gzip
import io
from typing import TYPE_CHECKING

import pytest

from data.listings import ListingError, format_names, open_listing
from tests.data.listing_help import fixture, read

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = fixture("page_plain.txt")


@pytest.mark.parametrize("content", [b"", b" \n\r\n\t", b"\xef\xbb\xbf", b"\x00" * 9])
def test_an_empty_file_is_called_empty(content: bytes):
    with pytest.raises(ListingError, match=r"papers\.txt is empty"):
        read(content, name="papers.txt")


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj", "PDF"),
        (b"PK\x03\x04" + bytes(60), "ZIP"),
        (b"\x89PNG\r\n\x1a\n" + bytes(60), "PNG"),
        (bytes(range(256)) * 8, "binary file"),
    ],
)
def test_a_file_that_is_no_text_is_named_for_what_it_is(content: bytes, word: str):
    with pytest.raises(ListingError, match=word):
        read(content)


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path):
    with pytest.raises(ListingError, match="is not there"):
        read(tmp_path / "gone.txt")
    with pytest.raises(ListingError, match="is a folder"):
        read(tmp_path)


def test_an_unknown_format_names_the_known_ones():
    with pytest.raises(ListingError, match=r'no format "excel"; use one of .*jsonl.*pages'):
        read(PLAIN, format="excel")


def test_format_names_are_in_order_and_each_once():
    names = format_names()
    assert list(names) == sorted(set(names))


@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16"),
        ("utf-16-be", "UTF-16"),
        ("utf-32", "UTF-32"),
        ("gb18030", "GB 18030"),
    ],
)
def test_every_usual_encoding_gives_the_same_papers(encoding: str, note: str | None):
    records, refusals, listing = read(PLAIN.decode().encode(encoding), name="p.txt")
    assert records == read(PLAIN)[0]
    assert not refusals
    assert [note in n for n in listing.notes] == ([True] if note else [])


def test_western_european_bytes_are_read_with_a_note_on_the_line():
    western = PLAIN.decode().replace("论文检索", "Suche").encode("cp1252")
    records, _, listing = read(western, name="p.txt")
    assert records[0].authors[1] == "Jürgen (Jay) Brandt"
    assert listing.notes == [
        "p.txt is not UTF-8 (line 3) and was read as Windows-1252; save it as UTF-8 if names look "
        "wrong."
    ]


def test_a_few_damaged_bytes_in_utf8_cost_only_themselves():
    damaged = PLAIN.replace(b"halves", b"hal\xffves")
    records, _, listing = read(damaged, name="p.txt")
    assert len(records) == 3
    assert records[0].authors[1] == "Jürgen (Jay) Brandt"
    assert "line 13" in listing.notes[0]


def test_a_file_cut_inside_a_character_keeps_the_rest_and_says_where():
    cut = PLAIN + "Ende der Prü".encode()[:-1]
    records, refusals, _ = read(cut)
    assert len(records) == 3
    assert any("breaks off inside a character" in r.reason for r in refusals)


def test_gzip_is_unpacked():
    assert read(gzip.compress(PLAIN))[0] == read(PLAIN)[0]


def test_a_gzip_file_that_breaks_off_keeps_what_could_be_unpacked():
    many = "\n".join(
        f'{{"title": "Buoy number {n} and its {n * n} waves", "abstract": "On buoys {n}."}}'
        for n in range(5000)
    ).encode()
    packed = gzip.compress(many)
    records, refusals, _ = read(packed[: len(packed) // 2], name="p.gz")
    assert 1000 < len(records) < 5000
    assert "breaks off" in refusals[-1].reason
    with pytest.raises(ListingError, match="damaged"):
        read(packed[:12])


def test_content_beyond_the_bound_is_refused_also_when_packed():
    bomb = gzip.compress(b"a" * 5_000_000)
    with pytest.raises(ListingError, match="larger than 1 MB"):
        open_listing(bomb, name="bomb", max_bytes=1 << 20)
    with pytest.raises(ListingError, match="larger than 1 MB"):
        open_listing(b"a" * 2_000_000, name="big", max_bytes=1 << 20)


def test_a_stream_that_cannot_be_rewound_is_read():
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    listing = open_listing(Pipe(PLAIN), name="-")
    assert len(list(listing.items)) == 3


def test_damage_is_told_apart_from_a_file_that_ends(tmp_path: Path):
    path = tmp_path / "p.txt"
    path.write_bytes(PLAIN)
    _, refusals, listing = read(path)
    assert not refusals
    assert not listing.notes


def test_every_format_has_a_name_for_its_source() -> None:
    from data.listings.registry import SOURCE_NAMES

    assert set(SOURCE_NAMES) == set(format_names())


def test_a_reader_that_fails_keeps_what_it_read_and_says_so(monkeypatch: pytest.MonkeyPatch):
    from data.listings import registry
    from data.listings.json_reader import JsonReader
    from data.records import PaperRecord, Refusal

    def fails_at_the_second(entry: object, position: str) -> PaperRecord:
        if "2" in position:
            raise ZeroDivisionError
        return PaperRecord(position=position, title="A Good One")

    broken = JsonReader("jsonl", "JSON", lambda entry: True, fails_at_the_second)
    monkeypatch.setattr(registry, "READERS", (broken,))
    good = b'{"title": "A Good One", "abstract": "It says what it does."}\n'
    record, refusal = open_listing(good * 2, name="two.jsonl", format="jsonl").items
    assert isinstance(record, PaperRecord)
    assert isinstance(refusal, Refusal)
    assert "ZeroDivisionError" in refusal.reason


@pytest.mark.parametrize("text", ["(" * 100_000, "[(" * 50_000, "\\[" * 40_000])
def test_a_text_of_brackets_is_told_to_be_no_listing_in_no_time(text: str):
    with pytest.raises(ListingError):
        list(open_listing(text.encode(), name="brackets.txt").items)


def test_a_number_beyond_all_dates_is_no_date():
    from data.listings.dates import day, moment

    assert moment(10**400) is None
    assert day(10**400) is None


@pytest.mark.parametrize(
    ("codec", "label", "row"),
    [
        ("big5", "Big5", "標題,作者,摘要\n深度學習研究,王小明,本研究提出新方法。\n"),
        ("big5", "Big5", "標題,作者\n貓,王小明\n"),
        ("cp932", "Shift JIS", "タイトル,著者\n深層学習の研究,山田太郎\n"),
        ("gbk", "GB 18030", "标题,作者,摘要\n深度学习研究,王小明,本研究提出新方法。\n"),
        ("cp1252", "Windows-1252", "Titre;Auteurs\nÉtude où l’élève naïf a été;Zoé Béranger\n"),
    ],
)
def test_older_encodings_are_told_by_the_signs_that_every_text_has(
    codec: str, label: str, row: str
):
    (record,), _, listing = read(row.encode(codec), name="t.csv")
    assert record.title == row.splitlines()[1].split(";" if ";" in row else ",")[0]
    assert f"was read as {label};" in listing.notes[0]
