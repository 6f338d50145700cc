"""One work, one paper: what a record adds to the library."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest

from data.records import AnnounceType, Identifiers, PaperRecord, Period, TagJudgement
from data.store import merging, papers, recording
from data.store.recording import Provenance

if TYPE_CHECKING:
    from data.records import Paper
    from data.store.connection import Store
    from data.store.recording import Stored

FEED = Provenance("feed", "feed.xml", datetime(2026, 6, 1, tzinfo=UTC))
PAGE = Provenance("page", "page.txt", datetime(2026, 6, 2, tzinfo=UTC))

GARDEN = (
    "We propose Gardener, a pruning method for large graphs that keeps the paths that matter and "
    "removes the rest. On six public graphs it halves the memory of message passing and loses "
    "less than one point of accuracy, and an ablation shows which of its three rules does most."
)
RECORD = PaperRecord(
    position="entry 1",
    title="Pruning Large Graphs",
    abstract=GARDEN,
    authors=("Ada Gärtner", "Ben Busch"),
    identifiers=Identifiers(arxiv="2606.00001"),
    topics=("Graphs · Pruning",),
    announced=date(2026, 6, 1),
    version=1,
)


async def put(store: Store, record: PaperRecord, provenance: Provenance = FEED) -> Stored:
    return await store.write(recording.store_record, record, provenance)


async def get(store: Store, paper_id: int) -> Paper:
    return (await store.read(papers.load_papers, [paper_id]))[paper_id]


async def test_a_new_record_becomes_a_paper_with_all_it_says(store: Store) -> None:
    stored = await put(store, RECORD)
    paper = await get(store, stored.paper_id)
    assert stored.outcome == "new"
    assert (paper.title, paper.title_derived) == ("Pruning Large Graphs", False)
    assert paper.authors == ("Ada Gärtner", "Ben Busch")
    assert paper.topics == ("Graphs · Pruning",)
    assert paper.identifiers.arxiv == "2606.00001"
    assert paper.announced == date(2026, 6, 1)
    assert paper.sources == ("feed",)


async def test_the_same_record_again_changes_nothing(store: Store) -> None:
    first = await put(store, RECORD)
    again = await put(store, replace(RECORD, position="entry 7"))
    assert (again.paper_id, again.outcome) == (first.paper_id, "unchanged")
    assert len(await store.read(papers.sightings_of, first.paper_id)) == 1


async def test_a_replacement_updates_the_paper_and_is_one_more_sighting(store: Store) -> None:
    first = await put(store, RECORD)
    revised = replace(
        RECORD,
        title="Pruning Very Large Graphs",
        version=2,
        announce_type=AnnounceType.REPLACEMENT,
    )
    stored = await put(store, revised)
    assert (stored.paper_id, stored.outcome) == (first.paper_id, "updated")
    assert (await get(store, first.paper_id)).title == "Pruning Very Large Graphs"
    assert len(await store.read(papers.sightings_of, first.paper_id)) == 2


async def test_an_old_version_does_not_overwrite_a_newer_one(store: Store) -> None:
    first = await put(store, replace(RECORD, version=3))
    await put(store, replace(RECORD, title="Pruning, a First Draft", version=1), PAGE)
    assert (await get(store, first.paper_id)).title == "Pruning Large Graphs"


async def test_a_page_without_ids_finds_its_paper_by_the_abstract(store: Store) -> None:
    first = await put(store, RECORD)
    bare = PaperRecord(position="line 3", abstract=GARDEN.replace("six", "6").replace(",", " ,"))
    stored = await put(store, bare, PAGE)
    assert (stored.paper_id, stored.outcome) == (first.paper_id, "merged")


async def test_a_real_title_takes_the_place_of_a_derived_one(store: Store) -> None:
    first = await put(store, PaperRecord(position="line 3", abstract=GARDEN), PAGE)
    derived = await get(store, first.paper_id)
    assert derived.title_derived
    assert derived.title.startswith("Gardener")
    await put(store, RECORD)
    paper = await get(store, first.paper_id)
    assert (paper.title, paper.title_derived) == ("Pruning Large Graphs", False)
    assert paper.authors == ("Ada Gärtner", "Ben Busch")


async def test_a_derived_title_never_replaces_a_real_one(store: Store) -> None:
    first = await put(store, RECORD)
    await put(store, PaperRecord(position="line 3", abstract=GARDEN), PAGE)
    assert (await get(store, first.paper_id)).title == "Pruning Large Graphs"


async def test_title_and_first_author_tell_the_paper_where_ids_are_missing(store: Store) -> None:
    first = await put(store, replace(RECORD, identifiers=Identifiers()))
    entry = PaperRecord(
        position="entry 1",
        title="Pruning large graphs.",
        authors=("Gärtner, Ada",),
        identifiers=Identifiers(doi="10.1000/182"),
    )
    stored = await put(store, entry, PAGE)
    assert stored.paper_id == first.paper_id
    assert (await get(store, first.paper_id)).identifiers.doi == "10.1000/182"


@pytest.mark.parametrize(
    "other",
    [
        PaperRecord(position="1", abstract=GARDEN.lower().replace("graphs", "gra- phs")),
        PaperRecord(position="1", abstract=" ".join(GARDEN.split()[:-4])),
        PaperRecord(position="1", abstract=GARDEN.replace("halves", "cuts")),
        PaperRecord(position="1", title="PRUNING LARGE GRAPHS", authors=("A. Gartner", "B. B.")),
        PaperRecord(position="1", title="Pruning Large Graphs.", authors=("Gärtner Ada",)),
        PaperRecord(position="1", title="A Draft", identifiers=RECORD.identifiers),
    ],
    ids=["broken words", "a tenth cut off", "edited", "capitals and initials", "name turned", "id"],
)
async def test_a_paper_is_known_again_as_other_sources_give_it(
    store: Store, other: PaperRecord
) -> None:
    first = await put(store, RECORD)
    assert (await put(store, other, PAGE)).paper_id == first.paper_id


@pytest.mark.parametrize(
    "other",
    [
        replace(RECORD, title="Pruning Large Graphs, Part II", abstract=f"Again. {GARDEN}"),
        replace(RECORD, authors=("Carl Zweig",), abstract="Trees are cut in a new way. " * 4),
        replace(RECORD, title="On Hedges", abstract="Withdrawn.", authors=("Ada Gärtner",)),
        PaperRecord(position="1", abstract="We propose Gardener, a robot that prunes. " * 4),
    ],
    ids=["part two", "namesake", "shared text", "same beginning"],
)
async def test_what_only_looks_like_a_paper_stays_apart(store: Store, other: PaperRecord) -> None:
    first = await put(store, RECORD)
    stranger = replace(other, identifiers=Identifiers())
    assert (await put(store, stranger, PAGE)).paper_id != first.paper_id


async def test_the_same_title_by_others_is_another_paper(store: Store) -> None:
    first = await put(store, RECORD)
    other = PaperRecord(
        position="entry 2", title="Pruning Large Graphs", authors=("Carl Zweig",), abstract="Short."
    )
    assert (await put(store, other, PAGE)).paper_id != first.paper_id


async def test_two_ids_of_one_kind_are_two_papers_however_alike(store: Store) -> None:
    first = await put(store, RECORD)
    twin = replace(RECORD, identifiers=Identifiers(arxiv="2606.00002"), title="Another Title")
    assert (await put(store, twin, PAGE)).paper_id != first.paper_id


async def test_nearly_the_same_abstract_under_another_title_is_another_paper(store: Store) -> None:
    first = await put(store, replace(RECORD, identifiers=Identifiers()))
    part_two = replace(
        RECORD,
        title="Pruning Large Graphs, Part II",
        abstract=GARDEN.replace("six", "nine"),
        identifiers=Identifiers(),
    )
    assert (await put(store, part_two, PAGE)).paper_id != first.paper_id


async def test_a_new_title_over_the_same_words_by_the_same_author_is_the_paper(
    store: Store,
) -> None:
    first = await put(store, RECORD)
    renamed = replace(RECORD, title="Gardener: Pruning at Scale", identifiers=Identifiers())
    assert (await put(store, renamed, PAGE)).paper_id == first.paper_id
    stranger = replace(renamed, title="Trees, Cut by Another Hand", authors=("Carl Zweig",))
    assert (await put(store, stranger, PAGE)).paper_id != first.paper_id


async def test_a_short_text_that_an_author_uses_again_does_not_make_one_paper(
    store: Store,
) -> None:
    formula = (
        "These notes accompany a course that was held at the summer school; they introduce the "
        "subject, give worked examples, and list exercises."
    )
    notes = PaperRecord(position="1", abstract=formula, authors=("Ada Gärtner",))
    untitled = await put(store, replace(notes, authors=()))
    hedges = await put(store, replace(notes, title="Hedges"), PAGE)
    lawns = await put(store, replace(notes, title="Lawns"), PAGE)
    assert hedges.paper_id == untitled.paper_id, "a page without a title tells nothing else"
    assert lawns.paper_id != hedges.paper_id
    assert (await put(store, replace(notes, title="LAWNS."))).paper_id == lawns.paper_id


async def test_a_page_without_titles_does_not_join_two_titles_over_one_text(store: Store) -> None:
    bare = PaperRecord(position="line 3", abstract=GARDEN)
    page = await put(store, bare, PAGE)
    one = await put(store, replace(bare, title="Pruning", authors=("Ada Gärtner",)))
    other = await put(store, replace(bare, title="Felling", authors=("Carl Zweig",)))
    assert one.paper_id == page.paper_id != other.paper_id


async def test_a_workshop_and_a_journal_version_with_other_abstracts_stay_two(
    store: Store,
) -> None:
    first = await put(store, replace(RECORD, identifiers=Identifiers()))
    journal = replace(
        RECORD,
        identifiers=Identifiers(doi="10.1000/182"),
        abstract="A decade of work on thinning networks is collected here, with new experiments on "
        "road maps, a complexity analysis of the third rule, and an account of failures.",
    )
    second = await put(store, journal, PAGE)
    assert second.paper_id != first.paper_id
    (link,) = await store.read(merging.related, first.paper_id)
    assert link.paper_id == second.paper_id
    assert link.reason == "the same title and first author, another abstract"
    assert link.at == PAGE.fetched
    (back,) = await store.read(merging.related, second.paper_id)
    assert back.paper_id == first.paper_id


async def test_a_batch_is_stored_as_its_records_one_by_one(store: Store) -> None:
    bare = PaperRecord(position="line 3", abstract=GARDEN)
    other = replace(RECORD, title="On Hedges", abstract="", identifiers=Identifiers(doi="10.1/2"))
    revised = replace(RECORD, version=2, title="Pruning Very Large Graphs")
    untitled = replace(bare, abstract=GARDEN.replace("halves", "nearly halves"))
    batch = [RECORD, bare, other, RECORD, revised, untitled, other]
    stored = await store.write(recording.store_records, batch, FEED)
    assert [(found.paper_id, found.outcome) for found in stored] == [
        (1, "new"),
        (1, "merged"),
        (3, "new"),
        (1, "unchanged"),
        (1, "updated"),
        (1, "merged"),
        (3, "unchanged"),
    ]
    assert (await get(store, 1)).title == "Pruning Very Large Graphs"
    assert [found.fresh for found in stored] == [None] * len(batch), "others tell of each as well"
    again = await store.write(recording.store_records, batch, FEED)
    assert {found.outcome for found in again} == {"unchanged"}


async def test_a_new_paper_is_told_as_it_is_loaded(store: Store) -> None:
    full = replace(
        RECORD,
        topics=("Pruning", "Graphs", "Äpfel", "Pruning"),
        categories=("cs.LG", "cs.DM"),
        venue="A Workshop",
        comment="8 pages",
        published_in=Period(2026, 5),
        updated=datetime(2026, 6, 3, 4, 5, 6, 7, tzinfo=UTC),
        announce_type=AnnounceType.WITHDRAWN,
    )
    untitled = PaperRecord(
        position="line 2",
        abstract="We introduce Hedger, a tool that cuts hedges in a straight line, and measure it.",
        published=datetime(2026, 5, 3, tzinfo=UTC),
    )
    stored = await store.write(recording.store_records, [full, untitled], FEED)
    fresh = [found.fresh for found in stored if found.fresh]
    assert [each.paper for each in fresh] == [await get(store, 1), await get(store, 2)]
    changes = await store.read(papers.changes_of, [1, 2, 3])
    assert {each.paper.id: each.change for each in fresh} == changes


async def test_a_first_judgement_counts_whatever_became_of_the_paper(store: Store) -> None:
    others = [
        replace(RECORD, title=f"On {plant}", abstract="", identifiers=Identifiers(doi=f"10.1/{n}"))
        for n, plant in enumerate(("Hedges", "Ferns", "Moss"))
    ]
    stored = await store.write(recording.store_records, others, FEED)
    known = [(each.fresh.paper.id, each.fresh.change) for each in stored if each.fresh]
    await put(store, replace(others[1], venue="A Journal"))
    await store.write(merging.merge, 1, 3, reason="told", by="a person", now=PAGE.fetched)
    judgement = TagJudgement("theory", None, {"position": 0.1, "theory": 0.8, "methods": 0.1})

    changes = await store.write(papers.save_first_judgements, known, [judgement] * 3)

    now = await store.read(papers.changes_of, [1, 2, 3])
    assert set(now) == {1, 2}, "the third is part of the first"
    assert changes.items() <= now.items()
    assert 2 not in changes, "the index must ask again for what became of it"
    assert await store.read(papers.untagged) == []


async def test_a_text_that_was_replaced_no_longer_tells_the_paper(store: Store) -> None:
    revised = replace(RECORD, version=2, abstract="Hedges, not graphs, are what is cut here. " * 3)
    bare = PaperRecord(position="line 3", abstract=GARDEN)
    stored = await store.write(recording.store_records, [RECORD, revised, bare], FEED)
    assert [found.outcome for found in stored] == ["new", "updated", "new"]


async def test_the_numbers_of_papers_are_never_given_twice(store: Store) -> None:
    await put(store, RECORD)
    await store.write(lambda db: db.execute("UPDATE sqlite_sequence SET seq = 40"))
    other = replace(RECORD, title="On Hedges", abstract="", identifiers=Identifiers(doi="10.1/2"))
    assert (await put(store, other)).paper_id == 41


async def test_the_forms_with_tex_are_kept_beside_the_plain_text(store: Store) -> None:
    title, abstract = "Pruning $\\ell_1$ Graphs", GARDEN.replace("six", "$6$")
    shown = replace(RECORD, title="Pruning ℓ₁ Graphs", abstract=GARDEN.replace("six", "6"))
    await put(store, replace(shown, title_source=title, abstract_source=abstract))
    await put(store, replace(shown, version=None), PAGE)
    forms = await store.read(papers.source_forms, 1)
    assert (forms.title, forms.abstract) == (title, abstract)
    await put(store, replace(shown, title="Another Title", version=2))
    forms = await store.read(papers.source_forms, 1)
    assert (forms.title, forms.abstract) == (None, abstract), "the old title's form is not shown"
    nothing = await store.read(papers.source_forms, 99)
    assert (nothing.title, nothing.abstract) == (None, None)


async def test_a_record_that_names_two_papers_ids_makes_them_one(store: Store) -> None:
    by_arxiv = await put(store, RECORD)
    by_doi = await put(
        store,
        PaperRecord(position="1", title="Thinning", identifiers=Identifiers(doi="10.1000/182")),
    )
    both = replace(RECORD, identifiers=Identifiers(arxiv="2606.00001", doi="10.1000/182"))
    stored = await put(store, both, PAGE)
    assert by_doi.paper_id != by_arxiv.paper_id == stored.paper_id
    assert (await get(store, stored.paper_id)).identifiers.doi == "10.1000/182"
    assert await store.read(papers.resolve, by_doi.paper_id) == by_arxiv.paper_id


async def test_a_short_text_that_many_share_does_not_make_one_paper(store: Store) -> None:
    gone = PaperRecord(position="1", title="First", authors=("A A",), abstract="Withdrawn.")
    other = replace(gone, title="Second", authors=("B B",))
    assert (await put(store, gone)).paper_id != (await put(store, other)).paper_id


async def test_a_notice_of_withdrawal_that_many_share_does_not_make_one_paper(store: Store) -> None:
    notice = "This paper has been withdrawn by the author due to a crucial error in equation 1."
    bare = PaperRecord(position="entry 1", abstract=notice, authors=("Ada Moor",))
    one = await put(store, replace(bare, title="On tides"))
    other = await put(store, replace(bare, title="On moss"))
    assert one.paper_id != other.paper_id
    again = await put(store, replace(bare, title="On Tides"), PAGE)
    assert again.paper_id == one.paper_id, "title and first author still tell it"


async def test_an_abstract_that_stays_behind_a_notice_still_tells_the_paper(store: Store) -> None:
    noted = "This paper has been withdrawn by the author. " + GARDEN + " Code comes with it." * 8
    first = await put(store, PaperRecord(position="entry 1", abstract=noted))
    second = await put(store, PaperRecord(position="9", title="Gardens", abstract=noted), PAGE)
    assert second.paper_id == first.paper_id


async def test_a_withdrawal_is_noted_and_keeps_the_abstract(store: Store) -> None:
    first = await put(store, RECORD)
    withdrawn = replace(RECORD, abstract="", version=2, announce_type=AnnounceType.WITHDRAWN)
    await put(store, withdrawn)
    paper = await get(store, first.paper_id)
    assert paper.withdrawn
    assert paper.abstract == GARDEN


async def test_a_notice_withdraws_the_paper_it_names_and_is_a_sighting_of_it(store: Store) -> None:
    first = await put(store, RECORD)
    notice = PaperRecord(
        position="entry 2",
        identifiers=Identifiers(arxiv="2606.00001"),
        announce_type=AnnounceType.WITHDRAWN,
    )
    assert await put(store, notice, PAGE) == replace(first, outcome="merged")
    assert await put(store, notice, PAGE) == replace(first, outcome="unchanged")
    paper = await get(store, first.paper_id)
    assert (paper.withdrawn, paper.title, paper.abstract) == (True, RECORD.title, GARDEN)
    seen = await store.read(papers.sightings_of, first.paper_id)
    assert [s.announce_type for s in seen] == [AnnounceType.NEW, AnnounceType.WITHDRAWN]


async def test_a_notice_of_an_unknown_paper_leaves_no_trace(store: Store) -> None:
    notice = PaperRecord(
        position="entry 2",
        identifiers=Identifiers(arxiv="2606.00009"),
        announce_type=AnnounceType.WITHDRAWN,
    )
    stored = await store.write(recording.store_records, [RECORD, notice], FEED)
    assert [one.outcome for one in stored] == ["new", "unknown"]
    assert await store.read(papers.changed_since, 0) == ([stored[0].paper_id], [])
    assert await store.read(papers.paper_by_identifier, "arxiv", "2606.00009") is None


async def test_the_words_of_a_withdrawal_replace_no_text_and_a_later_version_ends_it(
    store: Store,
) -> None:
    first = await put(store, RECORD)
    words = "This paper has been withdrawn by the authors, who found an error in the last lemma."
    taken = replace(RECORD, abstract=words, version=2, announce_type=AnnounceType.WITHDRAWN)
    await put(store, taken)
    paper = await get(store, first.paper_id)
    assert (paper.withdrawn, paper.abstract) == (True, GARDEN)
    await put(store, replace(RECORD, abstract="It is mended.", version=3))
    paper = await get(store, first.paper_id)
    assert (paper.withdrawn, paper.abstract) == (False, "It is mended.")


async def test_every_change_gets_the_next_number_of_the_sequence(store: Store) -> None:
    await put(store, RECORD)
    before = await store.read(papers.last_change)
    await put(store, replace(RECORD, venue="A Workshop", version=2))
    after = await store.read(papers.last_change)
    assert after > before
    assert await store.read(papers.changed_since, before) == ([1], [])
    assert await store.read(papers.changed_since, after) == ([], [])
