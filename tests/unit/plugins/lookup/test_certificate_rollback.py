# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup certificate_rollback."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.lookup.certificate_rollback import LookupModule

OLD, OTHER, NEW = "a" * 64, "b" * 64, "c" * 64


def certificate(fingerprint: str) -> dict[str, Any]:
    return {"fingerprint": fingerprint, "subject": "CN=a.example.com", "not_after": "2026-08-01T10:00:00Z"}


def endpoint(fingerprint: str | None, error: str | None = None) -> dict[str, Any]:
    after = certificate(fingerprint) if fingerprint else None
    return {"host": "media-1", "port": 3334, "server_name": "a.example.com", "after": after, "error": error}


def rollback(served: str | None = OLD, after: str | None = OLD, **more: Any) -> tuple[str, str]:
    arguments = {
        "entry": {"vhost": "a", "served": [{"certificate": certificate(served) if served else None}]},
        "changes": {
            "differ": True,
            "had_certificate": True,
            "shared_with": [],
            "served": [served] if served else [],
            "files": [{"exists": True, "differs": True, "backup": "/cert.pem.1~"}],
        },
        "failure": {"text": "The reload failed.", "endpoints": [endpoint(NEW)]},
        "restored": {},
        "removed": {},
        "reloaded": {"endpoints": [endpoint(after)]},
        "fingerprint": OLD,
        **more,
    }
    found = LookupModule().run([], **arguments)[0]
    start = "The new certificate of the virtual host a is not proven to be in use. The reload failed. "
    assert set(found) == {"action", "msg"} and found["msg"].startswith(start)
    return found["action"], found["msg"][len(start) :]


SERVED = f"Served now: media-1:3334 (a.example.com): CN=a.example.com, {OLD[:16]}…, valid until 2026-08-01T10:00:00Z."


def with_changes(**more: Any) -> dict[str, Any]:
    return {"differ": True, "had_certificate": True, "shared_with": [], "files": [], "served": [], **more}


def test_the_old_certificate_is_served_again() -> None:
    assert rollback() == ("restored", f"The old files are back, and the old certificate is served. {SERVED}")


def test_an_endpoint_that_served_another_certificate_serves_it_again() -> None:
    action, text = rollback(OTHER, OTHER)
    assert (
        action == "restored" and "each endpoint serves what it served before, which was not the old certificate" in text
    )
    assert rollback(OTHER, OTHER, fingerprint="")[1].startswith("The old files are back, and each endpoint")


@pytest.mark.parametrize(("served", "after"), [(OLD, NEW), (OTHER, NEW), (OLD, None)])
def test_a_lost_certificate_is_not_proven(served: str, after: str | None) -> None:
    action, text = rollback(served, after)
    assert action == "failed" and "THAT THE OLD CERTIFICATE IS SERVED IS NOT PROVEN." in text


def test_an_endpoint_that_served_nothing_or_now_serves_the_old_certificate_is_no_loss() -> None:
    assert rollback(None, NEW)[0] == rollback(OTHER, OLD)[0] == "restored"


def test_a_reload_without_a_result_proves_nothing() -> None:
    action, text = rollback(reloaded={"failed": True, "msg": "The API is down."})
    assert action == "failed" and "NOT PROVEN. The API is down. Served now:" in text


def test_check_mode_changes_nothing() -> None:
    assert rollback(check_mode=True, reloaded={}) == (
        "untouched",
        f"Nothing was changed. {SERVED.replace(OLD[:16], NEW[:16])}",
    )


def test_failures_of_the_rollback_come_first() -> None:
    restored = {"failed": True, "results": [{"failed": True, "msg": "No space."}, {"failed": False, "msg": "Fine."}]}
    action, text = rollback(restored=restored)
    assert action == "failed" and text.startswith(
        "RESTORING THE OLD FILES FAILED, TOO: No space. Restore them from /cert.pem.1~."
    )
    action, text = rollback(removed={"failed": True, "results": [{"failed": True, "msg": "Denied."}]})
    assert action == "failed" and text.startswith("REMOVING THE FILES THAT DID NOT EXIST BEFORE FAILED, TOO: Denied.")


def test_files_that_this_run_did_not_replace_stay() -> None:
    assert "so that there is nothing to restore" in rollback(changes=with_changes(differ=False))[1]
    action, text = rollback(changes=with_changes(differ=False, shared_with=["b", "c"]))
    assert (
        action == "failed"
        and "also those of the virtual host b, c, which serves the new certificate since this run "
        "placed them. They stay."
        in text
    )


def test_without_a_certificate_before_the_new_files_are_removed() -> None:
    action, text = rollback(changes=with_changes(had_certificate=False), reloaded={})
    assert action == "removed" and text.startswith("There was no certificate before.")


def test_three_endpoints_are_described() -> None:
    after = [endpoint(OLD), endpoint(None, "The handshake failed."), endpoint(None), endpoint(NEW)]
    text = rollback(reloaded={"endpoints": after})[1]
    assert (
        text.endswith("; media-1:3334 (a.example.com): The handshake failed; media-1:3334 (a.example.com): nothing.")
        and NEW[:16] not in text
    )


def test_a_failure_without_endpoints_describes_none() -> None:
    assert (
        rollback(check_mode=True, reloaded={}, failure={"text": "The reload failed.", "endpoints": []})[1]
        == "Nothing was changed."
    )
