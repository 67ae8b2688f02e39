# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup certificate_problems."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamops.ovenmediaengine.plugins.lookup.certificate_problems import LookupModule

COPIES = [
    {"dest": "/tmp/0-certificate.pem", "item": {"source": "files/cert.pem"}},
    {"dest": "/tmp/0-private_key.pem", "item": {"source": "files/key.pem"}},
]
NONE = {"shadowed_by": [], "shadowed": "", "kinds": [], "text": ""}


def problems(
    *found: tuple[str, str], shadowed_by: tuple[str | None, ...] = (None,), fingerprint: str = "12", **more: Any
) -> dict[str, Any]:
    read = {
        "certificates": [{"fingerprint": fingerprint}] if fingerprint else [],
        "problems": [{"kind": kind, "text": text} for kind, text in found],
        "endpoints": [{"shadowed_by": vhost} for vhost in shadowed_by],
    }
    return LookupModule().run([], read=read, **{"copies": COPIES, "plan": [], "accept": [], **more})[0]


def test_good_files_have_no_problems() -> None:
    assert problems() == problems(fingerprint="") == NONE


def test_texts_name_the_sources() -> None:
    found = problems(
        ("expired", "/tmp/0-certificate.pem has expired."),
        ("key", "/tmp/0-private_key.pem is for /tmp/0-certificate.pem."),
        ("key", "Again."),
    )
    assert found == {
        **NONE,
        "kinds": ["expired", "key"],
        "text": "files/cert.pem has expired. files/key.pem is for files/cert.pem. Again.",
    }


def test_accepted_kinds_do_not_count() -> None:
    assert problems(("chain_order", "Wrong order."), accept=["chain_order"]) == NONE


def test_a_virtual_host_that_hides_this_one_is_named_once() -> None:
    found = problems(("shadowed", "b hides a."), shadowed_by=("b", None, "b"))
    assert found == {**NONE, "shadowed_by": ["b"], "shadowed": "b hides a."}


def test_a_virtual_host_with_the_same_new_certificate_hides_nothing() -> None:
    plan = [{"vhost": "a"}, {"vhost": "b", "new": {"fingerprint": "12"}}, {"vhost": "c", "new": {"fingerprint": "34"}}]
    found = problems(("shadowed", "b and c hide a."), shadowed_by=("b", "c"), plan=plan)
    assert found["shadowed_by"] == ["c"]
