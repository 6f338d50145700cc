"""Label files are read whole, and their bad lines are named."""

import gzip
import json
from pathlib import Path

import pytest

from classifiers import LabelledPaper, LabelsUnusable, read_labels
from classifiers.contribution import ContributionType
from classifiers.labels import fingerprint

_GOOD = {"title": "On care", "abstract": "We argue for care.", "label": "position"}


def _write(path: Path, *lines: object) -> Path:
    written = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text(written, encoding="utf-8")
    return path


def test_a_bad_line_is_named_with_its_number_and_the_others_go_in(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "labels.jsonl",
        _GOOD,
        "",
        "{not json",
        {**_GOOD, "label": "survey"},
        {**_GOOD, "abstract": " "},
        ["a", "list"],
        {"abstract": "We prove it.", "label": "Theory"},
    )
    read = read_labels(path)
    assert [paper.label for paper in read.papers] == ["position", "theory"]
    assert [bad.line for bad in read.bad_lines] == [3, 4, 5, 6]
    assert "not JSON" in read.bad_lines[0].reason
    assert '"survey"' in read.bad_lines[1].reason
    assert "abstract" in read.bad_lines[2].reason


def test_a_compressed_file_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(_GOOD).encode()))
    assert read_labels(path).papers[0].title == "On care"


@pytest.mark.parametrize("written", [b"", b"\n\n", b"{}\n", b"\xff\xfe nonsense"])
def test_a_file_with_nothing_usable_is_refused_in_a_sentence(
    tmp_path: Path, written: bytes
) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_bytes(written)
    with pytest.raises(LabelsUnusable, match="no line that can be used: each needs an abstract"):
        read_labels(path)


@pytest.mark.parametrize("name", ["absent.jsonl", "broken.jsonl.gz"])
def test_a_file_that_cannot_be_read_is_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "broken.jsonl.gz").write_bytes(b"no gzip at all")
    with pytest.raises(LabelsUnusable, match=r"cannot be read \(.+\); name a file of JSON lines"):
        read_labels(tmp_path / name)


def test_announcements_are_taken_out_where_the_file_does_not_say_how() -> None:
    paper = LabelledPaper(
        "Position: Care first", "In this position paper we argue.", ContributionType.POSITION
    )
    assert paper.bare == ("Care first", "In this paper we argue.")
    assert paper.untitled == ("", "In this paper we argue.")


def test_bare_texts_of_the_file_are_used_as_they_are(tmp_path: Path) -> None:
    line = {**_GOOD, "title_stripped": "Care", "abstract_masked": "We say so."}
    read = read_labels(_write(tmp_path / "labels.jsonl", line))
    assert read.papers[0].bare == ("Care", "We say so.")


def test_an_abstract_keeps_its_fingerprint_through_spacing_case_and_broken_words() -> None:
    assert fingerprint("We have  wit- nessed\nGROWTH.") == fingerprint("we have witnessed growth.")
