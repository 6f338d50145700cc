"""Somebody searches, pages, opens, and finds their way when nothing fits."""

from __future__ import annotations

from tests.simulation.world import labels_of, options_of, parts_of, text_of, told


async def test_a_search_shows_five_papers_each_with_its_vote_button(world):
    result = await world.ada.slash(world.channel, "search", query="agents")
    assert not result.response.ephemeral
    votes = [name for name in labels_of(result.response) if name.startswith("pt:vote:")]
    assert len(votes) == 5
    assert "for “agents”" in text_of(result.response)
    assert "read as" in text_of(result.response)
    assert "**agents**" in text_of(result.response).lower()


async def test_arrows_turn_the_page_and_back(world):
    result = await world.ada.slash(world.channel, "search", query="agents")
    first = text_of(result.response)
    await world.ben.click(result.response, label="→")
    assert text_of(result.response) != first
    assert "2 / 2" in labels_of(result.response).values()
    await world.ben.click(result.response, label="←")
    assert text_of(result.response) == first


async def test_arrows_work_after_a_restart(world):
    result = await world.ada.slash(world.channel, "search", query="agents")
    first = text_of(result.response)
    await world.restart()
    await world.ada.click(world.channel.last_message, label="→")
    assert text_of(world.channel.last_message) != first


async def test_opening_a_paper_shows_its_card_privately(world):
    result = await world.ada.slash(world.channel, "search", query="collude")
    [paper, *_] = options_of(result.response)
    card = await world.ben.select(result.response, [paper])
    said = told(card)
    assert "Agents That Collude" in said
    assert "Mina Okafor, Sam Ito" in said
    assert "for: *argue*" in said


async def test_filters_narrow_a_search(world):
    result = await world.ada.slash(
        world.channel, "search", query="agents", tag="position", author="Okafor", since="2026"
    )
    assert "2 papers" in text_of(result.response)


async def test_a_search_without_result_says_how_it_was_read_and_what_to_try(world):
    result = await world.ada.slash(world.channel, "search", query="xyzzyplugh")
    said = text_of(result.response)
    assert "No paper fits “xyzzyplugh”" in said
    assert "read as" in said
    assert "Try" in said


async def test_a_day_that_cannot_be_read_is_refused_privately(world):
    result = await world.ada.slash(world.channel, "search", query="agents", since="soon")
    assert "write 2026-05-01" in told(result)


async def test_a_hostile_title_has_no_effect(world):
    result = await world.ada.slash(world.channel, "search", query="starred")
    said = text_of(result.response)
    assert "\\[Title\\] with" in said
    assert "@everyone" not in said


async def test_an_unfinished_title_topic_author_and_source_are_completed(world):
    titles = await world.ada.autocomplete(world.channel, "paper", "paper", "agents that")
    assert {"name": "#1 Agents That Collude", "value": "1"} in titles
    topics = await world.ada.autocomplete(world.channel, "search", "topic", "lear", query="x")
    assert [choice["value"] for choice in topics] == ["Learning"]
    authors = await world.ada.autocomplete(world.channel, "search", "author", "brun", query="x")
    assert [choice["value"] for choice in authors] == ["Léa Brunet"]
    sources = await world.ada.autocomplete(world.channel, "search", "source", "", query="x")
    assert len(sources) == 1


async def test_a_paper_is_named_by_number_id_address_or_words_of_its_title(world):
    for name in ("1", "#1", "2606.00001", "https://arxiv.org/abs/2606.00001v2", "Agents That Coll"):
        result = await world.ada.slash(world.channel, "paper", paper=name)
        assert "## Agents That Collude" in text_of(result.response)
    links = [part["url"] for part in parts_of(result.response) if part.get("url")]
    assert links == ["https://arxiv.org/abs/2606.00001", "https://arxiv.org/pdf/2606.00001"]


async def test_an_unknown_paper_is_refused_privately_with_what_to_do(world):
    assert "/search" in told(await world.ada.slash(world.channel, "paper", paper="nothing like it"))
    assert "/listing add" in told(await world.ada.slash(world.channel, "paper", paper="2606.99999"))


async def test_similar_papers_can_be_voted_for(world):
    result = await world.ada.slash(world.channel, "similar", paper="1")
    assert "Similar papers" in text_of(result.response)
    votes = [name for name in labels_of(result.response) if name.startswith("pt:vote:")]
    assert votes
    assert "pt:vote:1" not in votes
    card = await world.ada.slash(world.channel, "paper", paper="1")
    assert "Similar papers" in told(await world.ben.click(card.response, label="Similar"))


async def test_a_search_can_be_sorted_by_day_and_by_votes(world):
    newest = await world.ada.slash(world.channel, "search", query="agents", sort="newest")
    assert "newest first" in text_of(newest.response)
    last = options_of(newest.response)[-1]
    await world.ben.click(newest.response, custom_id=f"pt:vote:{last}")

    by_option = await world.ada.slash(world.channel, "search", query="agents", sort="votes")
    in_query = await world.ada.slash(world.channel, "search", query="agents sort:votes")

    assert options_of(by_option.response)[0] == last
    assert options_of(in_query.response)[0] == last


async def test_the_counts_of_a_whole_result_are_behind_a_button(world):
    await world.ada.slash(world.channel, "search", query="agents")
    await world.restart()
    shown = await world.ben.click(world.channel.last_message, label="Counts")

    assert shown.response.ephemeral
    said = text_of(shown.response)
    assert "**Tags**" in said
    assert "**Years** 2026" in said


async def test_a_search_that_nobody_made_for_months_is_forgotten_and_says_so(world):
    old = await world.ada.slash(world.channel, "search", query="agents")
    await world.later(days=60)
    await world.ben.click(old.response, label="→")
    await world.later(days=60)
    await world.ada.slash(world.channel, "search", query="datasets")
    await world.ben.click(old.response, label="←")
    assert "1 / 2" in labels_of(old.response).values()

    await world.later(days=90)
    await world.ada.slash(world.channel, "search", query="topic:Learning")
    refused = await world.ben.click(old.response, label="→")

    assert refused.response.ephemeral
    assert "please search again" in told(refused)


async def test_papers_similar_to_a_pasted_abstract_are_found(world):
    pasted = "Pricing agents learn to collude tacitly, and we argue that regulators should act."
    result = await world.ada.slash(world.channel, "similar", text=pasted)
    assert "the text that was pasted" in text_of(result.response)
    assert "Agents That Collude" in text_of(result.response)

    neither = await world.ada.slash(world.channel, "similar")
    assert neither.response.ephemeral
    assert "one of the two" in told(neither)


async def test_a_number_alone_finds_its_paper(world):
    result = await world.ada.slash(world.channel, "search", query="#1")
    assert "1 paper" in text_of(result.response)
    assert options_of(result.response) == ["1"]
