"""Every request fits Discord's own description of its API.

Each flow of this folder checks its requests when it ends, where the description is at hand; this
module checks the commands, and that the check would notice.
"""

from __future__ import annotations

import pytest
from simcord.types import HttpLogEntry

from bot.chat.commands import COMMANDS
from tests.simulation import contract

pytestmark = pytest.mark.skipif(
    not contract.available(), reason="needs ../shared/discord/openapi.json beside the checkout"
)


async def test_the_commands_fit_discords_description(world):
    told = [request for request in world.env.http_requests if request.path.endswith("/commands")]
    assert [request.method for request in told] == ["PUT"]
    assert len(told[0].json) == len(COMMANDS)
    assert contract.complaints(told) == []


async def test_commands_are_for_servers_only(world):
    [told] = [request for request in world.env.http_requests if request.path.endswith("/commands")]
    assert all(command["contexts"] == [0] for command in told.json)
    assert all(command["integration_types"] == [0] for command in told.json)


async def test_no_message_of_any_answer_can_ping(world):
    await world.ada.slash(world.channel, "search", query="agents")
    answered = [request for request in world.env.http_requests if "callback" in request.path]
    assert [request.json["data"]["allowed_mentions"] for request in answered] == [{"parse": []}]


@pytest.mark.parametrize(
    "request_",
    [
        HttpLogEntry("POST", "/nowhere", {}, None, None),
        HttpLogEntry("DELETE", "/channels/1/messages", {}, None, None),
        HttpLogEntry("POST", "/channels/1/messages", {}, {"nonce": "x" * 26}, None),
        HttpLogEntry("POST", "/channels/1/messages", {}, {"components": [{"type": 99}]}, None),
        HttpLogEntry("PUT", "/applications/1/commands", {}, [{"name": "x" * 33}], None),
        HttpLogEntry("GET", "/channels/1/messages", {"colour": "red"}, None, None),
    ],
)
def test_a_request_that_does_not_fit_is_noticed(request_):
    assert contract.complaints([request_])
