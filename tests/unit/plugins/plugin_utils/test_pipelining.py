# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pipelining is turned on for tasks on other hosts if nobody has set it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.playbook.play_context import PlayContext
from ansible.plugins.action.normal import ActionModule as NormalAction
from ansible.plugins.loader import connection_loader
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _in_process
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._pipelining import enable_pipelining
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils.actions import run

SSH_ARGUMENTS = ("ansible_ssh_args", "ansible_ssh_common_args", "ansible_ssh_extra_args")


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the settings of the environment."""
    for name in ("ANSIBLE_PIPELINING", "ANSIBLE_SSH_PIPELINING", "ANSIBLE_SSH_ARGS"):
        monkeypatch.delenv(name, raising=False)


def connection(name: str = "ssh", variables: dict[str, Any] | None = None) -> Any:
    """Return a connection with the options that ansible-core sets before each task."""
    found: Any = connection_loader.get(name, PlayContext(), "/dev/null")
    found.set_options(var_options=variables or {})
    return found


@pytest.mark.parametrize("name", ["ssh", "local"])
def test_it_is_turned_on(name: str) -> None:
    one = connection(name)
    assert one.get_option("pipelining") is False
    assert enable_pipelining(one, {})
    assert one.get_option("pipelining") is True


@pytest.mark.parametrize("name", ["ansible_pipelining", "ansible_ssh_pipelining"])
@pytest.mark.parametrize("value", [False, True])
def test_a_variable_of_the_host_wins(name: str, value: bool) -> None:
    variables = {name: value}
    one = connection(variables=variables)
    assert not enable_pipelining(one, variables)
    assert one.get_option("pipelining") is value


@pytest.mark.parametrize("name", ["ANSIBLE_PIPELINING", "ANSIBLE_SSH_PIPELINING"])
def test_an_environment_variable_wins(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "false")
    one = connection()
    assert not enable_pipelining(one, {})
    assert one.get_option("pipelining") is False


def test_the_next_item_starts_with_the_setting_of_the_user() -> None:
    one = connection()
    enable_pipelining(one, {})
    one.set_options(var_options={})
    assert one.get_option("pipelining") is False


def test_not_with_become() -> None:
    one = connection()
    one.become = object()
    assert not enable_pipelining(one, {})
    assert one.get_option("pipelining") is False


@pytest.mark.parametrize("name", SSH_ARGUMENTS)
@pytest.mark.parametrize("value", ["-tt", "-C -t", "-o RequestTTY=force", "-o requesttty=yes"])
def test_not_with_a_terminal(name: str, value: str) -> None:
    variables = {name: value}
    one = connection(variables=variables)
    assert not enable_pipelining(one, variables)
    assert one.get_option("pipelining") is False


def test_other_arguments_of_ssh_do_not_matter() -> None:
    variables = {"ansible_ssh_common_args": "-o ProxyJump=a-test -o ForwardX11=no"}
    assert enable_pipelining(connection(variables=variables), variables)


class _Without:
    """A connection that has pipelining, but not as an option."""

    has_pipelining = True
    become = None

    def get_option_and_origin(self, option: str, hostvars: Any = None) -> Any:
        """Raise what ansible-core raises."""
        raise KeyError(option)


@pytest.mark.parametrize("one", [_Without(), object()])
def test_connections_without_the_option_are_left_alone(one: Any) -> None:
    assert not enable_pipelining(one, {})


class TestActions:
    """Which variables the action plugins look at."""

    @pytest.fixture(autouse=True)
    def asked(self, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
        """The variables with which pipelining was asked for."""
        found: list[dict[str, Any]] = []
        monkeypatch.setattr(NormalAction, "run", lambda self, tmp=None, task_vars=None: {})
        monkeypatch.setattr(_in_process, "enable_pipelining", lambda _connection, variables: found.append(variables))
        return found

    def test_those_of_the_host(self, asked: list[dict[str, Any]], tmp_path: Path) -> None:
        run("vhost_info", {}, {"mark": str(tmp_path)}, connection={"transport": "ssh"})
        assert [one["mark"] for one in asked] == [str(tmp_path)]

    def test_those_of_the_host_that_the_task_is_delegated_to(self, asked: list[dict[str, Any]]) -> None:
        variables = {"ansible_delegated_vars": {"other": {"mark": 1}}}
        run("vhost_info", {}, variables, connection={"transport": "ssh"}, delegate_to="other")
        assert asked == [{"mark": 1}]

    def test_not_in_the_background(self, asked: list[dict[str, Any]]) -> None:
        run("vhost_info", {}, connection={"transport": "ssh"}, async_val=30)
        assert asked == []

    def test_not_in_process(self, asked: list[dict[str, Any]]) -> None:
        run("vhost_info", {"api_url": "no URL", "api_token": "t"})
        assert asked == []
