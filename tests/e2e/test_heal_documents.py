# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""ansible-rulebook accepts the rulebooks, and what guide_after_restart.rst and the event sources show of them."""

from __future__ import annotations

import ast
import pathlib
import re
import typing as t

import pytest
import trustme
import yaml
from ansible_collections.streamops.ovenmediaengine.extensions.eda.plugins.plugin_utils import alerts, watch_settings
from ansible_collections.streamops.ovenmediaengine.extensions.eda.plugins.plugin_utils.expectations import Files
from ansible_rulebook.validators import Validate

from .conftest import REPOSITORY
from .test_documents import GUIDES, blocks

NAMESPACE = "streamops.ovenmediaengine."
EDA = REPOSITORY / "extensions/eda"
NAMES = ("restore_after_restart", "push_watch", "certificates", "expected_streams")
RULEBOOKS = [EDA / f"rulebooks/{name}.yml" for name in NAMES]
SOURCES = {name: EDA / f"plugins/event_source/{name}.py" for name in ("alert", "server_state")}
GUIDE = "guide_after_restart.rst"
SERVERS, STREAMS, ALERTS, WITH_AWX = (
    block.text for block in blocks(GUIDE, "Restore with Event-Driven Ansible") if block.language == "yaml+jinja"
)


def examples(source: pathlib.Path) -> str:
    """Return the examples in the documentation of an event source."""
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "EXAMPLES":
            found: str = ast.literal_eval(node.value)
            return found
    raise AssertionError(f"{source} has no examples")


def sources_of(text: str, number: int = 0) -> dict[str, dict[str, t.Any]]:
    """Return the options of the sources of one of the rulebooks in a text, by the names of the sources."""
    rulebook = yaml.safe_load(text)[number]
    return {
        name.removeprefix(NAMESPACE): options
        for source in rulebook["sources"]
        for name, options in source.items()
        if name.startswith(NAMESPACE)
    }


@pytest.fixture(name="tls_files")
def _tls_files(tmp_path: pathlib.Path) -> dict[str, str]:
    """Files of a certificate, as options of a source."""
    certificate = trustme.CA().issue_cert("alerts.example.com")
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    certificate.cert_chain_pems[0].write_to_path(chain)
    certificate.private_key_pem.write_to_path(key)
    return {"certfile": str(chain), "keyfile": str(key)}


def test_every_rulebook_is_listed() -> None:
    assert sorted(RULEBOOKS) == sorted(EDA.glob("rulebooks/*"))
    assert sorted(SOURCES.values()) == sorted(EDA.glob("plugins/event_source/*.py"))


@pytest.mark.parametrize(
    "text",
    [*(path.read_text(encoding="utf-8") for path in RULEBOOKS), *map(examples, SOURCES.values()), ALERTS],
    ids=[*(path.stem for path in RULEBOOKS), *(f"examples of {name}" for name in SOURCES), "alerts of the guide"],
)
def test_rulebooks_match_the_schema(text: str) -> None:
    Validate.rulebook(yaml.safe_load(text))
    assert sources_of(text)


@pytest.mark.parametrize("text", [examples(SOURCES["alert"]), ALERTS], ids=["examples", "guide"])
def test_sources_of_alerts_take_the_options(
    text: str, tls_files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    options = sources_of(text)["alert"]
    monkeypatch.setenv(options["secret_key_env"], "canary-secret")
    settings = alerts.settings_of({**options, **tls_files})
    assert (settings.port, settings.path) == (5080, "/alert")


@pytest.mark.parametrize(
    "servers", [yaml.safe_load(SERVERS), sources_of(examples(SOURCES["server_state"]))["server_state"]]
)
def test_servers_are_watched_as_listed(
    servers: dict[str, t.Any], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {name.removeprefix("heal_"): value for name, value in servers.items()}
    variables = tmp_path / options["expectations"]
    variables.parent.mkdir(parents=True)
    variables.write_text("ovenmediaengine_vhosts: [{name: tenant-a}]\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(options["servers"][0]["api_token_env"], "canary-token")
    settings = watch_settings.settings_of(options, Files())
    assert [server.name for server in settings.servers] == [server["name"] for server in options["servers"]]


@pytest.mark.parametrize("rulebook", ["guide", "examples"])
def test_expected_streams_are_watched_as_listed(
    rulebook: str, tls_files: dict[str, str], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the streams that the guide on audits lists."""
    options = sources_of(examples(SOURCES["server_state"]), 1)["server_state"]
    if rulebook == "guide":
        (book,) = yaml.safe_load(RULEBOOKS[-1].read_text(encoding="utf-8"))
        taken = set(re.findall(r"heal_(\w+)", RULEBOOKS[-1].read_text(encoding="utf-8")))
        given = {name.removeprefix("heal_"): value for name, value in yaml.safe_load(STREAMS).items()}
        assert set(given) <= taken
        (options,) = (source["streamops.ovenmediaengine.server_state"] for source in book["sources"])
        options = {name: given[name] for name in given if name in options}
        options = {"expected_streams": True, **options, "alerts": {**options["alerts"], **tls_files}}
    (streams,) = (
        block.text for block in blocks("guide_audits.rst", "Say what should be live") if block.language == "yaml"
    )
    variables = tmp_path / options["expectations"]
    variables.parent.mkdir(parents=True)
    variables.write_text(streams, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OVENMEDIAENGINE_API_TOKEN", "canary-token")
    monkeypatch.setenv("OVENMEDIAENGINE_ALERT_SECRET", "canary-secret")
    files = Files()
    settings = watch_settings.settings_of(options, files)
    assert settings.alerts is not None and (settings.alerts.host, settings.alerts.port) == ("0.0.0.0", 5080)
    assert [one.key.name for one in files.get(options["expectations"]).streams] == ["main", "show", "gala"]


def test_the_rulebook_starts_a_job_template_as_in_the_guide() -> None:
    (rulebook,) = yaml.safe_load(RULEBOOKS[0].read_text(encoding="utf-8"))
    (rule,) = rulebook["rules"]
    own = rule["action"]["run_playbook"]
    rule.update(yaml.safe_load(WITH_AWX))
    Validate.rulebook([rulebook])
    assert rule["action"]["run_job_template"]["lock"] == own["lock"]


def test_the_guide_lists_the_variables_with_their_defaults() -> None:
    guide = GUIDES[GUIDE].read_text(encoding="utf-8")
    listed = dict(re.findall(r"^   \* - ``(heal_\w+)``\n     - (.*)$", guide, re.MULTILINE))
    used: dict[str, dict[str, str]] = {}
    for path in RULEBOOKS:
        text = path.read_text(encoding="utf-8")
        for name, default in re.findall(r"\{\{ (heal_\w+)(?: \| default\((.+?)\))? \}\}", text):
            value = default.strip("'").removeprefix(NAMESPACE)
            used.setdefault(name, {})[path.stem] = value if value else "empty" if default else "required"
    assert {name: cell.replace("``", "") for name, cell in listed.items()} == {
        name: ", ".join(of_rulebooks.values() if len(set(of_rulebooks.values())) > 1 else [*of_rulebooks.values()][:1])
        for name, of_rulebooks in used.items()
    }
