# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tests of the tests: with a bug of each class, put in on purpose, the fault matrix complains, and in the right
column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api import client, jobs, server
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core import secret_store
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import (
    base,
    parents,
    snapshot,
    virtual_hosts,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import (
    jobs as starting,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime import execution
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST
from ansible_collections.streamops.ovenmediaengine.tests.simulator.faults import Fault
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.harness import FaultHarness
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.judging import Verdict
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.scenarios import scenarios

BLIND = server.Idempotence(True, "A bug.")
RECREATE = "vhost: recreate with contents"


@pytest.fixture
def verdict(harness: Callable[[str], FaultHarness]) -> Callable[..., Verdict]:
    """Runs a scenario with a fault at the first request of a method whose path ends so, and judges it."""

    def of(name: str, method: str, path: str, fault: str, when: str, *, retries: int = 0, **options: Any) -> Verdict:
        one, scenario = harness(NEWEST), scenarios(NEWEST)[name]
        return one.case(scenario, Fault(fault, method=method, path=path, when=when, **options), retries=retries)

    return of


@pytest.fixture(autouse=True)
def good_runs(harness: Callable[[str], FaultHarness]) -> None:
    """Records the good runs before a bug is put in."""
    for name in (
        RECREATE,
        "push_task: start",
        "push_task: another destination",
        "vhosts: create many in two pieces",
        "vhost: delete with contents",
    ):
        harness(NEWEST).good(scenarios(NEWEST)[name])


Verdicts = Callable[..., Verdict]


class TestWithoutABug:
    """The very cases in which the bugs below are found are good without them."""

    def test_a_lost_answer_to_a_start(self, verdict: Verdicts) -> None:
        assert verdict("push_task: start", "POST", ":startPush", "reset", "after", retries=1).all == []

    def test_a_lost_answer_to_a_create(self, verdict: Verdicts) -> None:
        assert verdict("vhosts: create many in two pieces", "POST", "/v1/vhosts", "reset", "after", retries=1).all == []

    def test_a_refused_start(self, verdict: Verdicts) -> None:
        assert verdict("push_task: start", "POST", ":startPush", "status", "before", status=400).all == []

    def test_a_refused_recreate(self, verdict: Verdicts) -> None:
        assert verdict(RECREATE, "POST", "/v1/vhosts", "unauthorized", "before").all == []

    def test_a_delete(self, verdict: Verdicts) -> None:
        assert verdict("vhost: delete with contents", "DELETE", "t-v", "reset", "after", retries=1).all == []

    def test_a_restart(self, verdict: Verdicts) -> None:
        assert (
            verdict(
                "vhosts: create many in two pieces", "POST", "/v1/vhosts", "restart", "before", skip=1, retries=1
            ).all
            == []
        )


class TestWithABug:
    """One bug each."""

    def test_a_blind_retry_of_a_start(self, verdict: Verdicts, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(jobs, "STARTS", BLIND)
        assert verdict("push_task: start", "POST", ":startPush", "reset", "after", retries=1).doubled

    def test_a_blind_retry_of_a_create(self, verdict: Verdicts, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(client, "CREATES", BLIND)
        assert verdict("vhosts: create many in two pieces", "POST", "/v1/vhosts", "reset", "after", retries=1).doubled

    def test_a_create_that_is_tried_again_without_a_look(
        self, verdict: Verdicts, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(parents.ParentReconciler, "_resolve_existing", lambda self, changes, listed: [])
        assert verdict("vhosts: create many in two pieces", "POST", "/v1/vhosts", "reset", "after", retries=1).doubled

    def test_a_lost_answer_that_counts_as_a_refusal(self, verdict: Verdicts, monkeypatch: pytest.MonkeyPatch) -> None:
        def no_read(self: Any, key: Any) -> None:
            raise OmeError("refused", "start a push task")

        monkeypatch.setattr(starting.JobStarter, "_read_after_failure", no_read)
        assert verdict("push_task: start", "POST", ":startPush", "reset", "after", retries=1).wrong

    def test_an_error_that_is_swallowed(self, verdict: Verdicts, monkeypatch: pytest.MonkeyPatch) -> None:
        start = starting.JobStarter.start

        def swallow(self: Any, outcome: base.Outcome) -> base.Outcome:
            ended = start(self, outcome)
            return ended.replace(action=base.STARTED, error=None, after=outcome.after)

        monkeypatch.setattr(starting.JobStarter, "start", swallow)
        assert verdict("push_task: start", "POST", ":startPush", "status", "before", status=400).wrong

    def test_what_was_taken_down_is_not_put_back(self, verdict: Verdicts, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(virtual_hosts.VirtualHosts, "_restore_after_refusal", lambda self, failed, contents: failed)
        assert verdict(RECREATE, "POST", "/v1/vhosts", "unauthorized", "before").lost

    def test_what_was_inside_is_forgotten(self, verdict: Verdicts, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(snapshot.Snapshots, "restore", lambda self, vhost, contents: [])
        assert verdict(RECREATE, "DELETE", "t-v", "rate_limit", "before", retries=1).lost

    def test_a_virtual_host_that_is_deleted_with_its_applications_running(
        self, verdict: Verdicts, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            virtual_hosts.VirtualHosts,
            "_tear_down",
            lambda self, change, contents: self._api.delete_virtual_host(change.title),
        )
        assert verdict("vhost: delete with contents", "DELETE", "t-v", "reset", "after", retries=1).doubled

    def test_a_restart_that_nobody_notices(self, verdict: Verdicts, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(base.Reconciler, "verify_after_disconnect", lambda self, outcomes: list(outcomes))
        found = verdict(
            "vhosts: create many in two pieces", "POST", "/v1/vhosts", "restart", "before", skip=1, retries=1
        )
        assert found.wrong or found.lost

    def test_a_change_that_is_not_told(self, verdict: Verdicts, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(base.Outcome, "changed", property(lambda self: False))
        assert verdict("push_task: start", "POST", ":startPush", "reset", "after", retries=1).wrong

    def test_a_secret_in_one_error(self, verdict: Verdicts, monkeypatch: pytest.MonkeyPatch) -> None:
        """One that only the server knows: those of options are hidden by Ansible as well."""
        told = OmeError.__str__
        monkeypatch.setattr(OmeError, "__str__", lambda self: f"{told(self)} It was canary-secret-t-v.")
        monkeypatch.setattr(secret_store.SecretStore, "scrub_tree", lambda self, value: value)
        assert verdict(RECREATE, "POST", "/v1/vhosts", "unauthorized", "before").leaked

    def test_a_write_in_check_mode(
        self, harness: Callable[[str], FaultHarness], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one, scenario = harness(NEWEST), scenarios(NEWEST)["push_task: start"]
        assert [verdict.all for _where, verdict in one.check_mode_cases(scenario, "reset", {})] == [[], [], []]
        real = execution.Context

        def heedless(*, check_mode: bool, **options: Any) -> Any:
            return real(check_mode=False, **options)

        monkeypatch.setattr(execution, "Context", heedless)
        assert any(verdict.wrong for _where, verdict in one.check_mode_cases(scenario, "reset", {}))
