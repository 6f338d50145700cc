"""Discord's own description of its API, and what it says against a request."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simcord.types import HttpLogEntry

DESCRIPTION = Path(__file__).resolve().parents[3] / "shared" / "discord" / "openapi.json"
_NAME = "urn:discord"
# Every flow says the same commands first; judging them once is enough.
_fitting: set[str] = set()


def available() -> bool:
    """Whether the description stands beside the checkout."""
    return DESCRIPTION.is_file()


@cache
def _description() -> dict[str, Any]:
    return json.loads(DESCRIPTION.read_text(encoding="utf-8"))


@cache
def _routes() -> list[tuple[re.Pattern[str], str]]:
    found = [
        (re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path)) + r"\Z"), path)
        for path in _description()["paths"]
    ]
    # A literal path such as /applications/@me comes before one with a name in its place.
    return sorted(found, key=lambda pair: pair[1].count("{"))


@cache
def _validator(pointer: str) -> Draft202012Validator:
    resource = Resource.from_contents(_description(), default_specification=DRAFT202012)
    registry = Registry().with_resource(_NAME, resource)
    return Draft202012Validator({"$ref": f"{_NAME}#{pointer}"}, registry=registry)


def complaints(requests: Iterable[HttpLogEntry]) -> list[str]:
    """What Discord's description says against these requests; nothing for those that fit."""
    found: list[str] = []
    for request in requests:
        said = json.dumps([request.method, request.path, request.json, request.params], default=str)
        if said in _fitting:
            continue
        complaint = _complaints(request)
        found += complaint
        if not complaint:
            _fitting.add(said)
    return found


def _complaints(request: HttpLogEntry) -> list[str]:
    where = f"{request.method} {request.path}"
    path = next((path for pattern, path in _routes() if pattern.match(request.path)), None)
    if path is None:
        return [f"{where}: no such path"]
    operation = _description()["paths"][path].get(request.method.lower())
    if operation is None:
        return [f"{where}: no such method"]
    found = [
        f"{where}: unknown parameter {name}"
        for name in request.params or {}
        if name not in {known["name"] for known in operation.get("parameters", [])}
    ]
    content = operation.get("requestBody", {}).get("content", {})
    if request.json is None:
        needed = operation.get("requestBody", {}).get("required", False)
        return [*found, *([f"{where}: a body is missing"] if needed else [])]
    if "application/json" not in content:
        return [*found, f"{where}: takes no body"]
    pointer = "/".join(
        part.replace("~", "~0").replace("/", "~1")
        for part in ("paths", path, request.method.lower(), "requestBody", "content")
    )
    validator = _validator(f"/{pointer}/application~1json/schema")
    return [
        *found,
        *(
            f"{where}: {error.json_path}: {error.message[:400]}"
            for error in validator.iter_errors(_with_attachment_names(request.json))
        ),
    ]


def _with_attachment_names(body: Any) -> Any:
    """The body with attachment ids as text.

    discord.py numbers the files of a request 0, 1, …, as Discord's guide to uploads does; the
    description knows ids as text alone.
    """
    if isinstance(body, list):
        return [_with_attachment_names(part) for part in body]
    if not isinstance(body, dict):
        return body
    named = {key: _with_attachment_names(value) for key, value in body.items()}
    for attachment in named.get("attachments") or []:
        attachment["id"] = str(attachment["id"])
    return named
