# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors: messages and structured results."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api import server
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core import errors
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import ADVICE, BadInput, OmeError

SOURCES = sorted(Path(errors.__file__).parents[1].rglob("*.py"))


def _named_kinds(path: Path) -> set[str]:
    """Return every error kind that a source file names."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.Call)
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ):
            function = (
                node.func.id
                if isinstance(node.func, ast.Name)
                else node.func.attr
                if isinstance(node.func, ast.Attribute)
                else ""
            )
            if function in ("OmeError", "Failure", "failure"):
                found.add(node.args[0].value)
    return found


def test_every_kind_of_error_has_advice() -> None:
    kinds = set().union(*map(_named_kinds, SOURCES))
    kinds |= {kind for _part, kind in server._MESSAGES} | set(server._STATUSES.values())
    assert "connection_lost" in kinds and "conflict" in kinds
    assert kinds <= ADVICE.keys()


@pytest.mark.parametrize("kind", ADVICE)
def test_advice_is_complete_sentences(kind: str) -> None:
    for text in (ADVICE[kind].meaning, ADVICE[kind].remedy):
        assert text[0].isupper() and text.endswith(".")


def test_a_message_has_attempt_meaning_server_message_request_and_remedy() -> None:
    error = OmeError(
        "unauthorized",
        "list the virtual hosts",
        method="GET",
        path="/v1/vhosts",
        host="127.0.0.1:8081",
        status=401,
        server_message="[HTTP] Invalid credential (401)",
    )
    assert str(error) == (
        "Could not list the virtual hosts. The server does not accept the access token. "
        "The server says: [HTTP] Invalid credential (401). "
        "(GET /v1/vhosts at 127.0.0.1:8081 answered 401) "
        "Set api_token (or OVENMEDIAENGINE_API_TOKEN) to the AccessToken of Managers/API in the server's Server.xml."
    )


def test_a_message_without_a_response_says_so() -> None:
    error = OmeError("timeout", "x", detail="No answer within 1 s.", method="GET", path="/p", host="h")
    assert "No answer within 1 s. (GET /p at h got no answer)" in str(error)
    assert ADVICE["timeout"].meaning not in str(error)


def test_a_message_without_a_request_shows_none() -> None:
    error = OmeError("wait_timeout", "stop it")
    assert str(error) == f"Could not stop it. {ADVICE['wait_timeout'].meaning} {ADVICE['wait_timeout'].remedy}"


def test_a_server_message_with_a_period_gets_no_second_one() -> None:
    assert "The server says: Try again. " in str(OmeError("server_error", "x", server_message="Try again."))


def test_the_structure_has_all_parts_of_the_message() -> None:
    error = OmeError("conflict", "create x", method="POST", path="/p", host="h", status=409, server_message="Conflict")
    assert error.as_result() == {
        "kind": "conflict",
        "attempted": "create x",
        "meaning": ADVICE["conflict"].meaning,
        "remedy": ADVICE["conflict"].remedy,
        "method": "POST",
        "path": "/p",
        "host": "h",
        "status": 409,
        "server_message": "Conflict",
    }


def test_a_detail_replaces_the_meaning() -> None:
    assert (
        OmeError("refused", "x", detail="No connection: it rains.").as_result()["meaning"] == "No connection: it rains."
    )


def test_an_added_detail_follows_the_meaning() -> None:
    more = OmeError("refused", "x").with_detail("And so on.")
    assert more.as_result()["meaning"] == f"{ADVICE['refused'].meaning} And so on."
    assert OmeError("refused", "x", detail="It rains.").with_detail("And so on.").detail == "It rains. And so on."


def test_an_error_is_not_changed_by_its_copies() -> None:
    error = OmeError("refused", "x", method="GET", path="/p", host="h")
    before = dict(vars(error))
    more = error.with_detail("And so on.").for_attempt("do y").with_outcome_unknown(True).as_kind("timeout")
    assert vars(error) == before
    assert (more.attempt, more.outcome_unknown, more.method, more.path, more.host) == ("do y", True, "GET", "/p", "h")
    assert (more.kind, error.kind) == ("timeout", "refused")
    assert str(more).startswith("Could not do y.")


def test_the_outcome_is_unknown_only_if_set() -> None:
    assert OmeError("timeout", "x").outcome_unknown is False
    assert OmeError("timeout", "x", outcome_unknown=True).outcome_unknown is True


def test_the_entry_of_a_list_is_added_to_a_copy() -> None:
    error = BadInput("vhosts[2].name", "expected a name")
    inside = error.within("vhosts (site)")
    assert str(error) == "vhosts[2].name: expected a name."
    assert str(inside) == inside.detail == "vhosts[2].name: expected a name, in vhosts (site)."
    assert (inside.option, inside.kind) == ("vhosts[2].name", "bad_input")


def test_bad_input_names_the_option_and_what_was_expected() -> None:
    error = BadInput("vhosts[2].host.names", "expected at least one name")
    assert isinstance(error, OmeError)
    assert str(error) == "vhosts[2].host.names: expected at least one name."
    assert (error.option, error.expected, error.kind) == (
        "vhosts[2].host.names",
        "expected at least one name",
        "bad_input",
    )
    result = error.as_result()
    assert result["meaning"] == "vhosts[2].host.names: expected at least one name."
    assert result["method"] is None and result["status"] is None
