# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Argument specs equal the documentation, connection options are checked, and no secret option is missing."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.release import __version__
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.client import Settings
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.results import ManagingOperation
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import PUSH_TASK
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime import options, redaction
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.options import (
    connection_options,
    documented_spec,
    in_clear_text,
    settings_of,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import String, StringList, Url
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._task_options import CheckedOptions
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.unit import secret_tables
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import OPERATIONS, argument_spec
from ansible_collections.streamops.ovenmediaengine.tests.unit.resources import RESOURCES

MODULES = sorted(OPERATIONS)
COLLECTION = "streamops.ovenmediaengine"
LONGEST_PAGE = 900  # lines
CONNECTED = {"api_url": "http://127.0.0.1:9", "api_token": "x"}
CONNECTION = {
    "api_url",
    "api_token",
    "validate_certs",
    "ca_path",
    "client_cert",
    "client_key",
    "timeout",
    "retries",
    "http_headers",
    "concurrency",
}


def ansible_doc(home: Path, *arguments: str) -> str:
    """Return what ansible-doc prints about all modules, with fragments."""
    tree = next(folder.parent for folder in Path(options.__file__).parents if folder.name == "ansible_collections")
    environment = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(tree),
        "ANSIBLE_HOME": str(home),
        "ANSIBLE_LOCAL_TEMP": str(home),
        "LC_ALL": "C.UTF-8",
    }
    names = [f"{COLLECTION}.{module}" for module in MODULES]
    command = [sys.executable, "-m", "ansible.cli.doc", *arguments, "--type", "module", *names]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout


@pytest.fixture(scope="session")
def documented(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The options of every module as ansible-doc prints them."""
    printed = json.loads(ansible_doc(tmp_path_factory.mktemp("ansible-home"), "--json"))
    return {name.rpartition(".")[2]: plugin["doc"]["options"] for name, plugin in printed.items()}


@pytest.mark.skipif(__version__.startswith("2.16."), reason="the layout of ansible-doc 2.16 takes more lines")
def test_only_the_pages_that_describe_most_options_are_long(tmp_path: Path) -> None:
    pages = re.split(r"^> .*/(\w+)\.py\)$", ansible_doc(tmp_path), flags=re.MULTILINE)
    lengths = {name: page.count("\n") for name, page in zip(pages[1::2], pages[2::2])}
    assert sorted(lengths) == MODULES
    assert {name for name, length in lengths.items() if length > LONGEST_PAGE} == {"application", "server_config"}


# How the documentation refers to the options of objects: to an option of another module, or to the module.
REFERENCE = re.compile(
    r"(?:in the format of O|has the options of M)\(streamops\.ovenmediaengine\.(\w+)(?:#module:(\w+))?\)"
)
OF_THE_TASK = {"state", "recreate", "durable", "config_dir"}


def outline_of_documentation(options: dict[str, Any], documented: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the documented properties of options, at every level.

    With the documentation of all modules, options to which it refers are included.
    """

    def inside(option: dict[str, Any]) -> dict[str, Any] | None:
        found = option.get("suboptions") or (documented and referenced(option, documented))
        return outline_of_documentation(found, documented) if found else None

    return {
        name: {
            "type": option.get("type", "str"),
            "elements": option.get("elements"),
            "required": option.get("required", False),
            "default": option.get("default"),
            "choices": option.get("choices"),
            "aliases": option.get("aliases", []),
            "options": inside(option),
        }
        for name, option in options.items()
    }


def referenced(option: dict[str, Any], documented: dict[str, Any]) -> dict[str, Any] | None:
    """Return the options to which the description of an option refers; None if it refers to none."""
    text = " ".join(option["description"])
    reference = REFERENCE.search(text)
    if reference is None:
        return None
    module, name = reference.groups()
    if name is not None:
        there: dict[str, Any] = documented[module][name]
        return there.get("suboptions") or referenced(there, documented)
    omitted = OF_THE_TASK | CONNECTION | ({"vhost"} if "except C(vhost)" in text else set())
    return {name: one for name, one in documented[module].items() if name not in omitted}


def outline_of_spec(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the same properties from an argument spec."""
    return {
        name: {
            "type": option.get("type", "str"),
            "elements": option.get("elements"),
            "required": option.get("required", False),
            "default": option.get("default"),
            "choices": option.get("choices"),
            "aliases": option.get("aliases", []),
            "options": outline_of_spec(option["options"]) if "options" in option else None,
        }
        for name, option in spec.items()
    }


def test_every_module_of_the_collection_is_covered() -> None:
    folder = Path(options.__file__).parents[2] / "modules"
    assert sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__") == MODULES


@pytest.mark.parametrize("module", MODULES)
def test_the_argument_spec_is_what_is_documented(module: str, documented: dict[str, Any]) -> None:
    """Options to which the documentation refers are compared, too."""
    assert outline_of_spec(argument_spec(module)) == outline_of_documentation(documented[module], documented)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_declares_what_its_own_documentation_has(module: str, documented: dict[str, Any]) -> None:
    """ansible-test compares the two."""
    assert outline_of_spec(documented_spec(argument_spec(module))) == outline_of_documentation(documented[module])


def test_objects_are_described_by_reference(documented: dict[str, Any]) -> None:
    lists = {"vhosts", "applications", "streams", "scheduled_channels", "multiplex_channels", "push_tasks", "records"}
    assert {module: found for module in MODULES if (found := set(without_options(documented[module])))} == {
        "applications": {"applications"},
        "audit_info": {*lists, "certificate_endpoints", "expected_streams", "viewers"},
        "provision": lists,
        "server": {*lists, "server", "logger"},
        "server_config": {"vhosts", "push_tasks", "records"},
        "verify": {"vhosts", "applications", "push_tasks", "records"},
        "vhost": {"applications"},
        "vhosts": {"vhosts.applications"},
    }


def without_options(options: dict[str, Any], path: str = "") -> Iterator[str]:
    """Yield the path of each option whose description refers to options of another module."""
    for name, option in options.items():
        if "suboptions" in option:
            yield from without_options(option["suboptions"], f"{path}{name}.")
        elif REFERENCE.search(" ".join(option["description"])):
            yield path + name


def examples(options: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield the path and the value of each example in the description of an option."""
    for name, option in options.items():
        for text in re.findall(r"C\((\{.*\})\)", " ".join(option["description"])):
            value = yaml.safe_load(text)
            yield (*path, name), [value] if option["type"] == "list" else value
        yield from examples(option.get("suboptions", {}), (*path, name))


def test_examples_of_objects_are_accepted(documented: dict[str, Any]) -> None:
    found = [(module, path, value) for module in MODULES for path, value in examples(documented[module])]
    assert len(found) > 20
    for module, path, value in found:
        *outside, name = path
        vhost = {"name": "n", "host": ["live.example.com"]}
        options: dict[str, Any] = {outside[0]: [{**vhost, name: value}]} if outside else {name: value}
        beside = {**CONNECTED, **vhost, "config_dir": "/c", "version": "0.21.0"}
        specified = {**{one: beside[one] for one in argument_spec(module).keys() & beside.keys()}, **options}
        checked = CheckedOptions(OPERATIONS[module], specified, module, str)
        assert checked.problem == "", (module, path)
        if not module.startswith("server"):  # their lists depend on each other
            OPERATIONS[module]({**checked.params, "durable": False, "config_dir": None}).check()


@pytest.mark.parametrize("module", MODULES)
def test_argument_specs_are_independent(module: str) -> None:
    spec = argument_spec(module)
    option = next(iter(spec))
    kind, spec[option]["type"] = spec[option]["type"], "changed"
    assert argument_spec(module)[option]["type"] == kind


VHOST_SECRETS = {
    "signed_policy.secret_key",
    "admission_webhooks.secret_key",
    "origin_map_store.redis_server.auth",
    "applications.transcode_webhook.secret_key",
}


def named(spec: dict[str, Any], path: str = "") -> dict[str, dict[str, Any]]:
    """Return every option of a spec by its path."""
    found = {}
    for name, option in spec.items():
        found[path + name] = option
        found.update(named(option.get("options", {}), f"{path}{name}."))
    return found


@pytest.mark.parametrize(
    ("module", "secrets"),
    [
        ("vhost", VHOST_SECRETS),
        ("vhosts", {f"vhosts.{path}" for path in VHOST_SECRETS}),
        ("application", {"transcode_webhook.secret_key"}),
        ("applications", {"applications.transcode_webhook.secret_key"}),
        ("application_info", set()),
        ("push_task", {"stream_key"}),
        ("push_tasks", {"tasks.stream_key"}),
        ("vhost_info", set()),
        ("push_task_info", set()),
        ("cert_reload", set()),
        (
            "server_config",
            {
                *(f"vhosts.{path}" for path in VHOST_SECRETS),
                "server.managers.api.access_token",
                "server.alert.secret_key",
                "server.analytics.user_key",
                *(f"server.bind.{side}.srt.passphrase" for side in ("providers", "publishers")),
                *(f"server.bind.{side}.webrtc.ice_servers.credential" for side in ("providers", "publishers")),
                "push_tasks.stream_key",
                "records.metadata",
            },
        ),
    ],
)
def test_exactly_the_secrets_are_no_log(module: str, secrets: set[str]) -> None:
    options = named(argument_spec(module))
    of_connection = {"api_token", "http_headers"} if OPERATIONS[module].has_connection else set()
    assert {path for path, option in options.items() if option.get("no_log")} == secrets | of_connection


@pytest.mark.parametrize("module", MODULES)
def test_names_that_look_like_secrets_declare_no_log(module: str) -> None:
    looking = [
        path
        for path in named(argument_spec(module))
        if path.rpartition(".")[2].endswith(("key", "_name", "secrets", "token"))
    ]
    assert all("no_log" in named(argument_spec(module))[path] for path in looking)


def test_every_connection_option_falls_back_to_the_environment() -> None:
    options = connection_options()
    assert set(options) == CONNECTION
    for name, option in options.items():
        function, names = option["fallback"]
        assert function.__name__ == "env_fallback"
        assert names == [f"OVENMEDIAENGINE_{name.upper()}"]


# The connection options

GIVEN = {
    "api_url": "http://127.0.0.1:8081",
    "api_token": "token",
    "validate_certs": True,
    "ca_path": None,
    "client_cert": None,
    "client_key": None,
    "timeout": 10.0,
    "retries": 3,
    "http_headers": None,
    "concurrency": 16,
}


def test_connection_options_become_settings() -> None:
    assert settings_of(GIVEN) == Settings("http://127.0.0.1:8081", "token")
    everything = {
        "api_url": " https://gateway.example.com/ome/ ",
        "api_token": "user:pässword",
        "validate_certs": False,
        "ca_path": "/ca.pem",
        "client_cert": "/c.pem",
        "client_key": "/k.pem",
        "timeout": 0.5,
        "retries": 0,
        "http_headers": {"X-Tenant": "a", "X-Number": 5},
        "concurrency": 1,
    }
    assert settings_of({**everything, "name": "another option"}) == Settings(
        "https://gateway.example.com/ome/",
        "user:pässword",
        False,
        "/ca.pem",
        "/c.pem",
        "/k.pem",
        0.5,
        0,
        {"X-Tenant": "a", "X-Number": "5"},
        1,
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"api_url": "HTTPS://[::1]:8081/a/b"},
        {"timeout": 3600},
        {"timeout": 0.001},
        {"retries": 20},
        {"concurrency": 32},
        {"client_cert": "/both.pem"},
        {"http_headers": {}},
        {"http_headers": {"X-Empty": "", "Proxy-Authorization": "Basic eA==", "Cookie": "a=b; c=d"}},
        {"api_token": " with spaces "},
    ],
)
def test_unusual_connection_options_are_accepted(changes: dict[str, Any]) -> None:
    assert isinstance(settings_of({**GIVEN, **changes}), Settings)


@pytest.mark.parametrize(
    ("changes", "option"),
    [
        ({"api_url": ""}, "api_url"),
        ({"api_url": "127.0.0.1:8081"}, "api_url"),
        ({"api_url": "ftp://h"}, "api_url"),
        ({"api_url": "http://"}, "api_url"),
        ({"api_url": "http://h:99999"}, "api_url"),
        ({"api_url": "http://h/a b"}, "api_url"),
        ({"api_url": "http://h?x=1"}, "api_url"),
        ({"api_url": "http://h#x"}, "api_url"),
        ({"api_url": "http://user@h"}, "api_url"),
        ({"api_url": "http://user:hidden-1@h"}, "api_url"),
        ({"api_token": ""}, "api_token"),
        ({"api_token": "hidden-1\n"}, "api_token"),
        ({"api_token": "hidden-1\x00"}, "api_token"),
        ({"client_key": "/k.pem"}, "client_key"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": -1.0}, "timeout"),
        ({"timeout": 3600.5}, "timeout"),
        ({"timeout": math.inf}, "timeout"),
        ({"timeout": math.nan}, "timeout"),
        ({"retries": -1}, "retries"),
        ({"retries": 21}, "retries"),
        ({"concurrency": 0}, "concurrency"),
        ({"concurrency": 33}, "concurrency"),
        ({"http_headers": {"": "x"}}, "http_headers.''"),
        ({"http_headers": {"X A": "hidden-1"}}, "http_headers.'X A'"),
        ({"http_headers": {"X:": "hidden-1"}}, "http_headers.'X:'"),
        ({"http_headers": {"X-A": "hidden-1\r\nX-B: y"}}, "http_headers.'X-A'"),
        ({"http_headers": {"X-A": "hidden-1ä"}}, "http_headers.'X-A'"),
        ({"http_headers": {"Authorization": "Bearer hidden-1"}}, "http_headers.Authorization"),
        ({"http_headers": {"HOST": "hidden-1"}}, "http_headers.HOST"),
        ({"http_headers": {"content-length": "5"}}, "http_headers.content-length"),
        ({"http_headers": {"Transfer-Encoding": "chunked"}}, "http_headers.Transfer-Encoding"),
        ({"http_headers": {"Content-Type": "text/plain"}}, "http_headers.Content-Type"),
        ({"http_headers": {"Connection": "close"}}, "http_headers.Connection"),
    ],
)
def test_invalid_connection_options_are_refused_without_their_secrets(changes: dict[str, Any], option: str) -> None:
    with pytest.raises(BadInput) as caught:
        settings_of({**GIVEN, **changes})
    assert caught.value.option == option
    assert "hidden-1" not in str(caught.value)


# The options that hold secrets


def test_every_secret_of_every_module_is_a_secret_option() -> None:
    """`make format` writes them."""
    marked = {
        path.rpartition(".")[2]
        for module in MODULES
        for path, option in named(argument_spec(module)).items()
        if option.get("no_log")
    }
    assert marked == secret_tables.secret_options() == redaction.SECRET_OPTIONS


def test_every_secret_of_a_declaration_is_an_option_of_a_module() -> None:
    declared = set().union(*(secret_tables.secret_names(resource.options()) for resource in RESOURCES))
    assert len(RESOURCES) >= 9 and declared < redaction.SECRET_OPTIONS


def test_every_url_of_the_connection_is_a_url_option() -> None:
    assert {name for name in connection_options() if name.endswith("_url")} == set(options.CONNECTION_URLS)
    assert set(options.CONNECTION_URLS) <= set(redaction.URL_OPTIONS)


def test_options_that_hold_urls() -> None:
    assert secret_tables.url_options() == redaction.URL_OPTIONS


@pytest.fixture
def extended() -> Iterator[None]:
    """The push task with new fields: secrets and URLs at two levels."""
    declaration = PUSH_TASK
    own = dict(declaration.fields)
    new = [
        String("new_secret", secret=True),
        Url("new_url"),
        Object("new_object", fields=[String("inner_secret", secret=True), Url("inner_url", destination=True)]),
        Object("new_urls", fields=[StringList("addresses")]),
    ]
    declaration.fields.update({field.option: field for field in new})
    yield
    declaration.fields.clear()
    declaration.fields.update(own)


@pytest.mark.usefixtures("extended")
def test_new_fields_must_be_in_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparisons above fail until they are."""
    secrets, urls = secret_tables.secret_options(), secret_tables.url_options()
    assert secrets - redaction.SECRET_OPTIONS == {"new_secret", "inner_secret"}
    new = {"new_url": False, "inner_url": True, "addresses": False, "new_urls": False}
    assert urls == {**redaction.URL_OPTIONS, **new}
    monkeypatch.setattr(redaction, "SECRET_OPTIONS", secrets)
    monkeypatch.setattr(redaction, "URL_OPTIONS", urls)
    values = {
        "new_secret": "canary-1",
        "new_object": {"inner_secret": "canary-2", "inner_url": "rtmp://h/app/canary-3"},
        "new_urls": ["h/app?token=canary-4"],
    }
    found = redaction.secrets_in(values)
    assert found == {f"canary-{number}" for number in range(1, 5)}
    shown = redaction.finish({}, values, found, ["canary-1 canary-2 canary-3 canary-4"])[0]
    assert "canary" not in json.dumps(shown)


def test_no_names_are_looked_for_in_secrets() -> None:
    assert redaction.SECRET_OPTIONS < redaction.WITHOUT_NAMES


@pytest.mark.parametrize("module", MODULES)
def test_results_that_are_not_scrubbed_are_declared_by_the_operation(module: str) -> None:
    """They are masked field by field, or shown on request."""
    operation = OPERATIONS[module]
    assert set(operation.masked_results) <= {"diff", "tasks", *(f"{one}s" for one in OBJECTS), *OBJECTS}
    assert not issubclass(operation, ManagingOperation) or "diff" in operation.masked_results


OBJECTS = tuple(declaration.option for declaration in RESOURCES)


@pytest.mark.parametrize(
    ("url", "open_to_all"),
    [
        ("http://ome.example.com:8081", True),
        ("HTTP://203.0.113.5", True),
        ("http://[2001:db8::1]:8081/prefix", True),
        ("http://10.0.0.5:8081", True),
        ("http://localhost.example.com", True),
        ("https://ome.example.com", False),
        ("HTTPS://203.0.113.5:8082", False),
        ("http://127.0.0.1:8081", False),
        ("http://127.8.9.10", False),
        ("http://[::1]:8081", False),
        ("http://LOCALHOST:8081", False),
        ("http://ome.localhost", False),
    ],
)
def test_addresses_that_send_secrets_in_clear_text(url: str, open_to_all: bool) -> None:
    assert in_clear_text(Settings(url, "canary-token")) is open_to_all


@pytest.mark.parametrize("url", ["http://::1:8081", "https://2001:db8::1", "fe80::1"])
def test_an_ipv6_address_without_brackets_is_refused_with_the_right_form(url: str) -> None:
    params = {name: spec.get("default") for name, spec in connection_options().items()}
    with pytest.raises(
        BadInput, match=r"api_url: expected an IPv6 address in brackets such as 'http://\[2001:db8::1\]"
    ):
        settings_of({**params, "api_url": url, "api_token": "canary-token"})
