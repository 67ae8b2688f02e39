# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs a module of the collection inside of the test process, as Ansible would run it: JSON in, JSON out."""

from __future__ import annotations

import base64
import contextlib
import importlib
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import requests
from ansible.module_utils import basic
from ansible.module_utils.common import warnings
from ansible.module_utils.common.parameters import PASS_VARS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http import connections
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

if TYPE_CHECKING:
    import pytest

MODULES = tuple(
    sorted(path.stem for path in (Path(__file__).resolve().parents[2] / "plugins/modules").glob("[!_]*.py"))
)


_OF_REQUESTS = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC")


def forget_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what changes the behaviour of requests and of the modules."""
    for name in list(os.environ):
        if name.upper() in _OF_REQUESTS or name.startswith("OVENMEDIAENGINE_"):
            monkeypatch.delenv(name)


def probe_patiently(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the probe for the other protocol on a port all the time that it needs, even if requests have little."""
    look = connections.Connections.speaks_the_other_scheme

    def speaks_the_other_scheme(connections: connections.Connections) -> bool:
        connections.settings = connections.settings._replace(timeout=PATIENCE)
        return look(connections)

    monkeypatch.setattr(connections, "LONGEST_PROBE", PATIENCE)
    monkeypatch.setattr(connections.Connections, "speaks_the_other_scheme", speaks_the_other_scheme)


class ModuleRun(dict[str, Any]):
    """The result of a run, with what was printed."""

    def __init__(self, printed: str) -> None:
        super().__init__(json.loads(printed))
        if self.pop(
            "_ansible_new_secrets", None
        ):  # from ansible-core 2.22 on, for the controller, which takes it out before anybody sees the result
            printed = json.dumps(self)
        self.printed = printed

    @property
    def failed(self) -> bool:
        """Return whether the module failed."""
        return bool(self.get("failed", False))

    @property
    def warnings(self) -> list[str]:
        """Return the warnings as text; newer versions of ansible-core return them as structures."""
        return [
            json.dumps(warning) if not isinstance(warning, str) else warning for warning in self.get("warnings", [])
        ]


def _not_on_a_host(*_arguments: Any, **_options: Any) -> None:
    """Return nothing, as on a managed host; otherwise ansible-core checks the encoding of options more strictly."""


@contextlib.contextmanager
def _as_on_a_host() -> Iterator[None]:
    """Let module code take this process for one on a managed host.

    Once anything of the controller was imported, by a test of a filter, ansible-core from 2.19 on gives a module's
    warnings to the controller.
    """
    internal: Any = sys.modules.get("ansible.module_utils._internal")
    before = getattr(internal, "is_controller", None)
    if not before:
        yield
        return
    ask_controller = internal.import_controller_module
    internal.is_controller = False
    internal.import_controller_module = _not_on_a_host
    try:
        yield
    finally:
        internal.is_controller = before
        internal.import_controller_module = ask_controller


def run_module(name: str, options: dict[str, Any], *, check_mode: bool = False) -> ModuleRun:
    """Run the module `name`.

    :param options: its options, as a playbook gives them.
    """
    arguments = {
        **options,
        "_ansible_check_mode": check_mode,
        "_ansible_diff": True,
        "_ansible_no_log": False,
        "_ansible_remote_tmp": "~/.ansible/tmp",
    }
    arguments["_ansible_module_name"] = f"streamops.ovenmediaengine.{name}"
    if "inject_invocation" in PASS_VARS:  # from ansible-core 2.19 on the options are returned only if this asks for it
        arguments["_ansible_inject_invocation"] = True
    basic._ANSIBLE_ARGS = json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode()
    basic._ANSIBLE_PROFILE = "legacy"  # asked for from ansible-core 2.19 on
    module = importlib.import_module(f"ansible_collections.streamops.ovenmediaengine.plugins.modules.{name}")
    warnings._global_warnings.clear()  # kept for the process, which here is not the module's alone
    printed = io.StringIO()
    with _as_on_a_host(), contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        module.main()
    return ModuleRun(printed.getvalue())


def connection(simulator: Any, **options: Any) -> dict[str, Any]:
    """Return the connection options for a simulator, with others added.

    An answer may take its time, however slow the machine.
    """
    return {"api_url": simulator.url, "api_token": simulator.token, "retries": 1, "timeout": PATIENCE, **options}


def make_virtual_host(simulator: Any, name: str, **fields: Any) -> None:
    """Make a virtual host as another client would, past the modules.

    :param fields: further fields in wire form, such as `applications`.
    """
    post(simulator, "/v1/vhosts", [{"name": name, "host": {"names": [f"{name}.example.com"]}, **fields}])


def post(simulator: Any, path: str, body: Any) -> None:
    """Ask the server for something past the modules, as another client would."""
    credential = base64.b64encode(simulator.token.encode()).decode()
    answer = requests.post(
        simulator.url + path, json=body, headers={"Authorization": f"Basic {credential}"}, timeout=PATIENCE
    )
    assert answer.status_code == 200, answer.text
