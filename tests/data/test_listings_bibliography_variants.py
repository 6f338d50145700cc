"""Bibliographies as tools really write them: repeated keys, macros, particles, volumes."""

from __future__ import annotations

import json

import pytest

from data.records import Identifiers, Period
from tests.data.listing_help import read


def test_an_entry_whose_key_comes_twice_is_read_as_well_as_the_first():
    text = (
        '@string{icml = "Harbour Conference"}\n'
        '@inproceedings{a, title="One", author="Ada Lutra", booktitle=icml, year="2031"}\n'
        '@inproceedings{a, title="Two {x}", author="Li Wei", booktitle=icml, year="2031"}\n'
    )
    one, two = read(text)[0]
    assert (one.title, one.authors, one.venue) == ("One", ("Ada Lutra",), "Harbour Conference")
    assert (two.title, two.authors, two.venue) == ("Two x", ("Li Wei",), "Harbour Conference")
    assert two.published_in == Period(2031)


def test_a_preprint_that_dblp_cites_by_its_volume_has_its_id():
    text = "@article{a, title={One}, journal={CoRR}, volume={abs/3102.00003}, year={2031}}"
    assert read(text)[0][0].identifiers == Identifiers(arxiv="3102.00003")


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("Ada Lutra; Li Wei", ("Ada Lutra", "Li Wei")),
        ("Lutra, Ada AND Wei, Li and others", ("Ada Lutra", "Li Wei")),
        ("{The {ATLAS} Collaboration} and van der Berg, Jan",
         ("The ATLAS Collaboration", "Jan van der Berg")),
        (r"M{\"u}ller, J{\"o}rg and {\'E}tienne Lef{\`e}vre", ("Jörg Müller", "Étienne Lefèvre")),
    ],
)  # fmt: skip
def test_authors_of_bibtex_in_any_spelling(field: str, names: tuple[str, ...]):
    (record,), _, _ = read(f"@article{{a, title={{One}}, author={{{field}}}}}")
    assert record.authors == names


def test_names_of_csl_keep_their_particles_and_suffixes():
    people = [
        {"family": "Berg", "given": "Jan", "non-dropping-particle": "van der"},
        {"family": "King", "given": "M.", "suffix": "Jr."},
        {"literal": "The Team"},
    ]
    text = json.dumps([{"type": "book", "title": "One", "author": people}])
    assert read(text)[0][0].authors == ("Jan van der Berg", "M. King Jr.", "The Team")


def test_a_range_of_days_gives_no_day():
    (record,), _, _ = read("TY  - CONF\nTI  - One\nY1  - 14-19 June 2031\nER  - \n")
    assert (record.published, record.published_in) == (None, Period(2031, 6))


def test_the_anthology_tells_venue_and_date_of_the_volume_and_formulas_in_titles():
    text = """<collection id="2031.acl"><volume id="long"><meta>
<booktitle>Proc. of Otters</booktitle><month>May</month><year>2031</year></meta>
<paper id="1"><title>On <fixed-case>BERT</fixed-case> and <tex-math>\\ell_1</tex-math></title>
<author><first>Ada</first><last>Lutra</last></author><url>2031.acl-long.1</url></paper></volume>
<volume id="short"><meta><booktitle>Proc. of Gulls</booktitle><year>2032</year></meta>
<paper id="1"><title>Two</title></paper><paper id="2"></paper></volume></collection>"""
    (one, two), (refusal,), _ = read(text)
    assert refusal.position.startswith("entry 3 "), "a volume is no entry"
    assert (one.title, one.venue, one.published_in) == (
        "On BERT and ℓ₁",
        "Proc. of Otters",
        Period(2031, 5),
    )
    assert (two.venue, two.published_in) == ("Proc. of Gulls", Period(2032))
    assert [r.position.split(" (")[0] for r in (one, two)] == ["entry 1", "entry 2"]


def test_dblp_answers_with_several_links_and_venues_give_the_first():
    info = {"title": "One.", "venue": ["ICML", "X"], "ee": ["https://a.org/1", "https://b.org/1"]}
    (record,), _, _ = read(json.dumps({"result": {"hits": {"hit": {"info": info}}}}))
    assert (record.venue, record.identifiers.url) == ("ICML", "https://a.org/1")


def test_subtitles_of_mods_and_journals_of_dublin_core_are_taken():
    mods = "<mods><titleInfo><title>One</title><subTitle>A Test</subTitle></titleInfo></mods>"
    assert read(mods)[0][0].title == "One: A Test"
    core = (
        "<OAI-PMH><ListRecords><record><header/><metadata><dc><title>One</title>"
        "<identifier>http://arxiv.org/abs/3102.00001</identifier>"
        "<identifier>J. Otters 1 (2031)</identifier><subject>68T05</subject>"
        "</dc></metadata></record></ListRecords></OAI-PMH>"
    )
    (record,), _, _ = read(core)
    assert (record.venue, record.topics) == ("J. Otters 1 (2031)", ())


def test_repeated_keys_keep_names_in_braces_and_lose_the_braces_around_a_value():
    entries = "".join(
        f"@article{{tea, title={{Tea {n} and {{GPT}}-4}}, "
        'author={{The Tea Lab} and M{\\"u}ller, J{\\o}rg}, '
        f"eprint={{3001.0000{n}}}, archiveprefix={{arXiv}}, primaryclass={{cs.LG}}}}\n"
        for n in (1, 2, 3)
    )
    records, refusals, _ = read(entries)
    assert refusals == []
    assert [r.title for r in records] == [f"Tea {n} and GPT-4" for n in (1, 2, 3)]
    assert {r.authors for r in records} == {("The Tea Lab", "Jørg Müller")}
    assert {r.categories for r in records} == {("cs.LG",)}
    assert [r.identifiers.arxiv for r in records] == [f"3001.0000{n}" for n in (1, 2, 3)]


def test_quotes_that_belong_to_a_title_stay():
    (record,), _, _ = read('@misc{tea, title={"Tea for two"}, author={Moor, Ada}}')
    assert record.title == '"Tea for two"'
