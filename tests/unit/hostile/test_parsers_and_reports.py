# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What reads texts of others takes every text, and what is written of them says that very text and nothing else."""

from __future__ import annotations

import contextlib
import functools
import pathlib
import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.server import kind_of
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import ADVICE
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import (
    MASK,
    SecretStore,
    has_user_info,
    mask_url,
    url_secrets,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema import validators as checks
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import unsendable_keys
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.certificate import CertificateError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.certificate_reader import (
    parse_certificate,
)
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _audit_junit as junit_plugin
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _audit_page as page_plugin
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _audit_report as report_plugin
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._export_variables import export_variables
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.measuring import counting_calls
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.values import HOSTILE_TEXTS, HUGE, NASTY
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FIXED = settings(
    max_examples=50, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)

# Certificates


def element(tag: int, content: bytes) -> bytes:
    """Return an element of DER."""
    if len(content) < 0x80:
        return bytes([tag, len(content)]) + content
    length = len(content).to_bytes(4, "big")
    return bytes([tag, 0x84]) + length + content


def nested(depth: int, tag: int = 0x30) -> bytes:
    content = b""
    for _level in range(depth):
        content = element(tag, content)
    return content


@pytest.mark.parametrize(
    "der",
    [
        nested(5000),
        nested(5000, 0xA0),
        b"\x30\x80" * 10_000,
        b"\x30\x80" + b"\x02\x01\x00" * 1000 + b"\x00\x00",
        b"\x30\x84\xff\xff\xff\xff",
        b"\x30\x88" + b"\xff" * 8,
        b"\x30\xfe" + b"\xff" * 126,
        b"\x30\xff" + b"\x00" * 127,
        b"\x30\x84\x00\x00\x00\x01\x00",
        b"\x3f\xff\xff\xff\xff\xff\x7f\x00",
        element(0x30, element(0x30, element(0xA0, b"\x02\x01\x02") + element(0x02, b"\x01" * 2**20))),
        element(0x30, b"\x02\x01\x00" * 300_000),
        b"",
    ],
    ids=[
        "deep sequences",
        "deep tags",
        "indefinite lengths",
        "an indefinite length with an end",
        "four bytes of length",
        "eight bytes of length",
        "the longest length",
        "a reserved length",
        "a length that is too long for what it says",
        "a long tag",
        "a huge number",
        "very many elements",
        "nothing",
    ],
)
def test_hostile_der(der: bytes) -> None:
    """Refused after a few calls, however long it is and whatever length it claims."""
    with counting_calls() as count, pytest.raises(CertificateError):
        parse_certificate(der)
    assert count() < 1000


@FIXED
@given(
    st.recursive(
        st.builds(
            lambda tag, content: bytes([tag]) + bytes([len(content)]) + content,
            st.integers(0, 255),
            st.binary(max_size=20),
        ),
        lambda inner: st.builds(
            lambda tag, parts: element(tag, b"".join(parts)),
            st.sampled_from([0x30, 0x31, 0xA0, 0xA3, 0x04]),
            st.lists(inner, max_size=6),
        ),
        max_leaves=20,
    )
)
def test_well_formed_der_without_a_certificate(der: bytes) -> None:
    with contextlib.suppress(CertificateError):
        parse_certificate(der)


# URLs, checks, messages

_PARTS = st.text("abc/:@?#&=% \u2028\ud800.-_+~[]\r\n\x00", max_size=12)


@FIXED
@given(
    st.one_of(
        HOSTILE_TEXTS,
        st.builds(
            lambda scheme, rest: scheme + rest,
            st.sampled_from(["rtmp://", "srt://h:1?", "https://u:p@h/", "//", ""]),
            _PARTS,
        ),
    )
)
def test_secrets_of_any_url_are_masked(url: str) -> None:
    masked = mask_url(url)
    has_user_info(url)
    for secret in url_secrets(url):
        # A short part can occur elsewhere too, where it is no secret.
        assert (
            len(secret) < 4
            or secret == MASK
            or masked.replace(MASK, "").count(secret) < url.count(secret)
            or secret not in url
        )
    store = SecretStore()
    store.add_url(url)
    store.scrub(url)


@pytest.mark.parametrize("scheme", ("rtmp", "rtmps", "srt", "udp", "https"))
@FIXED
@given(before=_PARTS, after=_PARTS)
def test_no_canary_survives(scheme: str, before: str, after: str) -> None:
    for url in (
        f"{scheme}://canary1:canary2@h/a/canary3{after}?k=canary4&canary5#canary6",
        f"{scheme}://h/a?{before}&x=canary7&passphrase=canary8{after}",
    ):
        shown = mask_url(url)
        assert not any(
            part in shown for part in ("canary1", "canary2", "canary4", "canary5", "canary6", "canary7", "canary8")
        ), shown
        assert not scheme.startswith("rtmp") or "canary3" not in shown


CHECKS = [
    checks.addressable,
    checks.one_line,
    checks.one_line_or_empty,
    checks.host_name,
    checks.module_name,
    checks.absolute_path,
    checks.http_url,
    checks.location,
    checks.url_scheme,
    checks.origin_url,
    checks.host_and_port,
    lambda text: checks.network_url(text, ["srt"]),
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_checks_take_every_text(check: Any) -> None:
    @FIXED
    @given(HOSTILE_TEXTS)
    def meet(text: str) -> None:
        check(text)

    for text in (
        *NASTY,
        HUGE,
        "a" * 2**20,
        "http://[",
        "http://[::1",
        "http://h:99999999999999999999",
        "http://\u2100/",
        "srt://\ufeff:1",
    ):
        check(text)
    meet()


@pytest.mark.parametrize(
    "text",
    [text for text in NASTY if not text.isprintable() and any(sign in text for sign in "\x00\r\n\x1b\ud800\udcff")],
    ids=ascii,
)
def test_control_characters_and_halves_of_pairs_are_refused_everywhere(text: str) -> None:
    for check in CHECKS[:-1]:
        assert check(text) is not None
    assert checks.absolute_path(f"/{text}") is not None


def test_names_have_a_longest_length() -> None:
    assert checks.addressable("a" * 255) is None and checks.is_addressable("a" * 255)
    assert "255" in str(checks.addressable("a" * 256)) and not checks.is_addressable("a" * 256)
    assert "255" in str(checks.host_name("a" * 256))


def test_a_secret_of_blanks_alone_hides_nothing() -> None:
    store = SecretStore()
    store.add(" ", "\t\n")
    store.add_url("srt://h:1?passphrase=%20")
    assert store.scrub("all blanks stay") == "all blanks stay"


def test_keys_forbidden_in_requests_are_found() -> None:
    assert unsendable_keys({"good_1": [{"%s": 1}, {"x": {"a b": 1}}], "": 2, "y": "%s"}) == [
        "good_1.0.'%s'",
        "good_1.1.x.'a b'",
        "''",
    ]
    assert unsendable_keys(["%s", {"a": None}]) == []


@FIXED
@given(st.integers(-1000, 10_000), st.one_of(st.sampled_from(NASTY), HOSTILE_TEXTS))
def test_any_message_is_of_a_known_kind(status: int, message: str) -> None:
    assert kind_of(status, message) in ADVICE
    # What the server quotes is somebody's name and says nothing, whatever it reads like.
    quoted = message.replace("]", "").replace("'", "")
    assert kind_of(400, f"[HTTP] refused: [read-only {quoted}] 'already exists {quoted}'") == kind_of(
        400, "[HTTP] refused:"
    )


# What filters write


class _Loader(yaml.SafeLoader):
    """As Ansible reads it: a text that is marked as unsafe is a text, and no template."""


_Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))


def hostile_texts() -> st.SearchStrategy[str]:
    """Return texts as a server can send them."""
    return st.one_of(st.sampled_from(NASTY), HOSTILE_TEXTS)


def in_file(text: str) -> str:
    """Return the text as a file in UTF-8 holds it."""
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found.group()):04x}", text)


@FIXED
@given(hostile_texts(), hostile_texts())
def test_exported_yaml_has_the_exact_texts(one: str, other: str) -> None:
    distribution = (
        one if checks.one_line(one) is None and MASK not in one else "example.com"
    )  # a mask is exported as a reference
    vhosts = {
        "vhosts": [{"name": "t-a", "host": {"names": ["h"]}, "distribution": distribution}],
        "read_only": [],
        "unmanaged_fields": {},
    }
    extra = {"anything": other, "list": [one, {"inner": other}]}
    apps = {
        "applications": [{"vhost": "t-a", "name": "live", "type": "live", "extra": extra}],
        "status": [{"dynamic": False}],
    }
    exported = export_variables({"vhosts": vhosts, "applications": apps, "push_tasks": {"tasks": [], "status": []}})
    extra = {"anything": in_file(other), "list": [in_file(one), {"inner": in_file(other)}]}
    texts = [text.encode().decode() for text in exported.values() if isinstance(text, str)]
    found = {name: value for text in texts for name, value in (yaml.load(text, _Loader) or {}).items()}
    assert set(found) <= {"ovenmediaengine_vhosts", "ovenmediaengine_applications", "ovenmediaengine_push_tasks"}
    if found["ovenmediaengine_vhosts"]:
        assert found["ovenmediaengine_vhosts"][0].get("distribution", distribution).strip() == distribution.strip()
    for app in found["ovenmediaengine_applications"]:
        if MASK not in one + other and "://" not in one + other:
            assert app["extra"] == extra
    for text in texts:
        assert all(
            "{{" not in line or "!unsafe" in line or "ovenmediaengine_secret_" in line for line in text.splitlines()
        )


TEMPLATES = pathlib.Path(page_plugin.__file__).parents[2] / "roles" / "audit" / "templates"


def report(text: str, other: str) -> Any:
    """Return a report with hostile texts wherever a server or a module can put some."""
    place = {"vhost": text, "application": other, "push_task": text, "endpoint": other, "field": text}
    findings = [
        {
            "severity": severity,
            "kind": "differs",
            "message": f"{text} {severity}",
            **place,
            "found": value,
            "wanted": other,
        }
        for severity in ("error", "drift", "warning", "info")
        for value in (text, [other], {text: other})
    ]
    result = {
        "reachable": True,
        "version": text,
        "findings": findings,
        "vhosts": [{"name": text, "status": "drift", "listed": True, "present": True, "read_only": False}],
        "push_tasks": [],
        "certificates": [],
    }
    return report_plugin.audit_report({"server " + text: result}, "2026-01-31T03:00:00Z")


class _Tags(HTMLParser):
    """The elements and the names of attributes of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[Any] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _value in attrs)))

    def handle_comment(self, data: str) -> None:
        self.tags.append("comment")


HTML = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=a>",
    '" onmouseover="a',
    "' autofocus onfocus='a",
    "\u2028-->]]>",
    "&lt;b&gt;&#60;",
    "{{ 7 * 7 }}{% raw %}",
)


def page_of(text: str, other: str) -> str:
    template = next(path for path in sorted(TEMPLATES.rglob("*")) if "html" in path.name).read_text(encoding="utf-8")
    page: str = page_plugin.audit_page(report(text, other), template, "", "")
    return page


@functools.cache
def harmless_tags() -> list[Any]:
    """Return the elements of a page in which no text is hostile."""
    return _Tags(page_of("ax", "bx")).tags


@settings(FIXED, max_examples=25)
@given(st.one_of(st.sampled_from(HTML), hostile_texts()), st.one_of(st.sampled_from(HTML), hostile_texts()))
def test_the_page_has_the_same_elements_whatever_the_texts(text: str, other: str) -> None:
    page = page_of(f"a{text}", f"b{other}").encode().decode()
    assert _Tags(page).tags == harmless_tags()
    assert "a49" not in page


def test_an_unescaped_page_is_detected() -> None:
    """A test of the test above."""
    page = page_of("a<b>", "b")
    assert _Tags(page.replace("&lt;", "<").replace("&gt;", ">")).tags != harmless_tags()


@FIXED
@given(st.one_of(st.sampled_from((*HTML, *NASTY)), HOSTILE_TEXTS), st.one_of(st.sampled_from(NASTY), st.text()))
def test_junit_is_well_formed_whatever_the_texts(text: str, other: str) -> None:
    made = junit_plugin.audit_junit(report(text, other))
    root = ElementTree.fromstring(made.encode())
    assert {child.tag for child in root.iter()} <= {
        "testsuites",
        "testsuite",
        "testcase",
        "error",
        "failure",
        "system-out",
        "properties",
        "property",
    }
    assert len(list(root)) == 1
