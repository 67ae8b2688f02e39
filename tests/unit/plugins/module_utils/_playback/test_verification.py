# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""verify: test signals are published and played, and each fault has its verdict and stage."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import verification
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.rows import Row
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules

from .verifying import HOST, POLICY, application, create, media_server, options, short, tenant, turn_clock, verify

PUBLISHED = ("rtmp", None, None, "plays", None)
PLACE = {"app": "live", "stream": {"name": "main"}}


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    turn_clock(monkeypatch)


@pytest.fixture
def server() -> Iterator[Simulator]:
    """A server that takes publishers and serves viewers."""
    with media_server() as made:
        yield made
        assert not made.died


def played(*protocols: str, by: str = "rtmp") -> list[tuple[Any, ...]]:
    """Return the rows of a signal that plays."""
    return [(by, protocol, None, "plays", None) for protocol in (None, *protocols)]


class TestWhatPlays:
    """Everything is as it should be."""

    def test_each_host_name_by_each_protocol(self, server: Simulator) -> None:
        vhosts = [tenant("t-a", HOST, "other.example.com"), tenant("t-b", "b.example.com")]
        create(server, *vhosts)
        done = verify(server, *vhosts)
        assert not done.failed and done["changed"] is False
        of_one = [*played("llhls", "webrtc", "thumbnail"), *played("llhls", "webrtc", "thumbnail", by="whip")]
        assert short(done) == of_one * 3
        names = [HOST, "other.example.com", "b.example.com"]
        assert list(dict.fromkeys(row["host_name"] for row in done["rows"])) == names
        assert all(row["seconds_to_first_frame"] > 0 for row in done["rows"] if row["protocol_out"])
        assert done["line"] == "24 play, 0 fail, 0 not tried"
        assert len(done["table"]) == 7

    def test_the_tcp_relay_and_lists_of_protocols(self, server: Simulator) -> None:
        create(server, tenant())
        done = verify(server, tenant(), protocols_in=["rtmp"], protocols_out=["webrtc_tcp", "llhls"])
        assert short(done) == played("webrtc_tcp", "llhls")

    @pytest.mark.exhaustive
    def test_each_playlist_is_played_by_the_publishers_that_have_it(self, server: Simulator) -> None:
        [profile] = application()["output_profiles"]["output_profile"]
        ladder = {
            "name": "ladder",
            "file_name": "master",
            "options": {"web_rtc_auto_abr": True, "enable_ts_packaging": True},
            "renditions": [{"name": str(audio), "video": "v", "audio": audio} for audio in ("a", "o")],
        }
        app = application(
            publishers={"llhls": {}, "hls": {}, "webrtc": {}},
            output_profiles={"output_profile": [{**profile, "playlists": [ladder]}]},
        )
        create(server, tenant(app=app))
        done = verify(server, tenant(app=app), protocols_in=["rtmp"])
        assert short(done) == played("llhls", "llhls", "hls", "hls", "webrtc", "webrtc")

    def test_host_names_and_policy_that_are_not_listed_are_those_of_the_server(self, server: Simulator) -> None:
        protected = tenant(signed_policy={**POLICY, "enables": {"publishers": ["thumbnail"]}})
        create(server, protected)
        listed = [{"vhost": "t-a", "name": "live"}]
        done = verify(server, applications=listed, protocols_in=["rtmp"], protocols_out=["thumbnail"])
        assert short(done) == [
            PUBLISHED,
            ("rtmp", "thumbnail", False, "denied", None),
            ("rtmp", "thumbnail", True, "plays", None),
        ]
        assert "t-policy-key" not in json.dumps(done) and done["rows"][0]["host_name"] == HOST

    def test_signed_streams_are_closed_without_a_signature(self, server: Simulator) -> None:
        everything = {"providers": ["rtmp", "webrtc"], "publishers": ["llhls", "webrtc"]}
        protected = tenant(signed_policy={**POLICY, "enables": everything})
        create(server, protected)
        done = verify(server, protected, protocols_out=["llhls", "webrtc"])
        assert not done.failed
        of_one = [(None, False, "denied"), (None, True, "plays")]
        of_one += [(protocol, *one) for protocol in ("llhls", "webrtc") for _name, *one in of_one[:2]]
        assert [(row[1], row[2], row[3]) for row in short(done)] == of_one * 2
        assert done["line"] == "6 play, 6 denied as they should be, 0 fail, 0 not tried"
        assert all(row["stream"].startswith("streamops-test-") for row in done["rows"])

    @pytest.mark.exhaustive
    def test_nothing_protects_hls(self, server: Simulator) -> None:
        policy = {**POLICY, "enables": {"providers": [], "publishers": ["hls", "llhls"]}}
        protected = tenant(app=application(publishers={"llhls": {}, "hls": {}}), signed_policy=policy)
        create(server, protected)
        done = verify(server, protected, protocols_in=["rtmp"])
        assert [row[1:] for row in short(done)] == [
            (None, None, "plays", None),
            ("llhls", False, "denied", None),
            ("llhls", True, "plays", None),
            ("hls", False, "fails", "allowed"),
            ("hls", True, "plays", None),
        ]
        assert done.failed and "none by HLS" in done["msg"]

    @pytest.mark.parametrize(
        ("asked", "played_of", "unlisted"),
        [
            (["*"], ["t-b", "t-a", "t-ab"], []),
            (["t-a"], ["t-a"], []),
            (["t-a*"], ["t-a", "t-ab"], []),
            (["t-b", "t-none", "t-none", "other-*"], ["t-b"], ["t-none", "other-*"]),
        ],
    )
    def test_only_some_virtual_hosts(
        self, server: Simulator, asked: list[str], played_of: list[str], unlisted: list[str]
    ) -> None:
        create(server, *(tenant(name, f"{name}.example.com") for name in ("t-a", "t-ab", "t-b")))
        lists = {
            "applications": [{"vhost": "t-ab", "name": "live"}],
            "push_tasks": [
                {**PLACE, "vhost": vhost, "id": "p", "protocol": "rtmp", "url": "rtmp://h/app", "stream_key": ""}
                for vhost in ("t-a", "t-ab")
            ],
            "records": [{**PLACE, "vhost": "t-b", "id": "r"}],
        }
        vhosts = [tenant("t-b", "t-b.example.com"), tenant("t-a", "t-a.example.com")]
        done = verify(server, *vhosts, only_vhosts=asked, protocols_in=["rtmp"], check_mode=True, **lists)
        assert not done.failed, done["msg"]
        found = [row["vhost"] for row in done["rows"]]
        assert list(dict.fromkeys(found)) == [*played_of, *unlisted]
        assert [row["vhost"] for row in done["rows"] if row["msg"] == "No list has it."] == unlisted
        assert len(done.warnings) == len(unlisted)
        assert all(f"No list has {name} of only_vhosts." in str(done.warnings) for name in unlisted)
        jobs = [row["vhost"] for row in done["rows"] if row["app"] and not row["host_name"]]
        assert jobs == [vhost for vhost in ("t-a", "t-ab", "t-b") if vhost in played_of]

    def test_check_mode_publishes_nothing(self, server: Simulator) -> None:
        create(server, tenant())
        writes = len(server.writes)
        done = verify(server, tenant(), protocols_in=["rtmp"], protocols_out=["llhls", "hls"], check_mode=True)
        assert len(server.writes) == writes and not done.failed
        assert [row["msg"] for row in done["rows"]] == [
            "Check mode: it would be tried.",
            "Check mode: it would be tried.",
            "The application has no publisher for hls.",
        ]
        assert done["line"] == "Check mode, this would be tried: 2 rows; 1 cannot be tried"


class TestNotTried:
    """What cannot be tried is no failure, and has its reason."""

    @pytest.mark.parametrize(
        ("vhost", "more", "reason"),
        [
            (tenant("t-a", "*.example.com"), {}, "A host name with a wildcard is none that can be used."),
            (tenant(app=application(providers={"ovt": {}})), {}, "The application has no provider that takes a test"),
            (tenant(), {"protocols_in": ["srt"]}, "The application has no provider for srt."),
            (tenant(app=application(providers={"srt": {}})), {}, "The program ffmpeg is not installed"),
            ({"name": "t-a", "host": {"names": [HOST]}}, {}, "It lists no application."),
        ],
    )
    def test_reasons(
        self,
        server: Simulator,
        monkeypatch: pytest.MonkeyPatch,
        vhost: dict[str, Any],
        more: dict[str, Any],
        reason: str,
    ) -> None:
        monkeypatch.setattr(verification.shutil, "which", lambda _program: None)
        create(server, vhost)
        done = verify(server, vhost, **more)
        [row] = done["rows"]
        assert row["verdict"] == "not_tried" and row["msg"].startswith(reason)
        assert not done.failed and done["line"] == "0 play, 0 fail, 1 not tried"

    def test_nothing_is_listed(self, server: Simulator) -> None:
        done = verify(server)
        assert (done["rows"], done["table"]) == ([], []) and done["line"] == "nothing listed that could be verified"

    def test_what_fails_with_a_signature_proves_nothing_without_one(self, server: Simulator) -> None:
        enables = {"providers": ["rtmp"], "publishers": ["llhls"]}
        create(server, tenant(signed_policy={**POLICY, "enables": enables}))
        wrong = tenant(signed_policy={**POLICY, "secret_key": "t-wrong-key", "enables": enables})
        done = verify(server, wrong, protocols_in=["rtmp"], protocols_out=["llhls"])
        assert [row[2:] for row in short(done)] == [(False, "not_tried", None), (True, "fails", "connection")]
        assert done["rows"][0]["msg"] == "It was refused, but with a signature it does not work either."


class TestElsewhere:
    """Another virtual host takes the host name."""

    @pytest.mark.parametrize("app", ["app", "live"])
    def test_the_stock_configuration(self, app: str) -> None:
        with media_server(default_host_names=["*"]) as server:
            vhost = tenant(app=application(name=app))
            create(server, vhost)
            done = verify(server, vhost, protocols_out=["llhls"])
            assert done.failed and done["error"]["kind"] == "verify_failed"
            assert [row[3:] for row in short(done)] == [("fails", "elsewhere")] * 2
            for row in done["rows"]:
                assert f"Virtual host default takes {HOST}: a test signal for application" in row["msg"]
                assert "arrived there, and viewers got it by llhls." in row["msg"]
                assert row["error"]["kind"] == "test_stream_elsewhere"

    def test_no_proof_without_an_application_that_takes_the_signal(self) -> None:
        with media_server() as server:
            create(server, tenant("t-first", "*", app=application(providers={"ovt": {}})), tenant())
            done = verify(server, tenant(), protocols_in=["rtmp"])
            assert [row[3:] for row in short(done)] == [("fails", "connection")]

    def test_the_way_to_the_proof_is_lost(self) -> None:
        with media_server(default_host_names=["*"]) as server:
            create(server, tenant())
            server.inject("status", method="GET", path="/vhosts/default", times=-1, status=500)
            done = verify(server, tenant(), protocols_in=["rtmp"])
            assert [row[3:] for row in short(done)] == [("fails", "connection")]
            assert f"Whether another virtual host takes {HOST} is not known." in done.warnings[0]


class TestFails:
    """Each fault at its stage."""

    @pytest.mark.parametrize(
        ("protocol", "fault", "more", "stage"),
        [
            ("llhls", "missing_init", {}, "media"),
            ("llhls", "no_key_frame", {"protocol": "llhls"}, "key_frame"),
            ("llhls", "unauthorized_later", {}, "denied"),
            ("thumbnail", "status", {"protocol": "thumbnail"}, "status"),
        ],
    )
    def test_of_viewers(self, server: Simulator, protocol: str, fault: str, more: dict[str, Any], stage: str) -> None:
        create(server, tenant())
        server.spoil(fault, **more)
        done = verify(server, tenant(), protocols_in=["rtmp"], protocols_out=[protocol])
        assert short(done) == [PUBLISHED, ("rtmp", protocol, None, "fails", stage)]
        assert done.failed and done["error"]["kind"] == "verify_failed"
        assert done["rows"][1]["error"]["kind"] == f"play_{stage}" and done["rows"][1]["msg"] in done["msg"]
        assert done["line"].endswith(f"the first that fails: t-a/live, {HOST}/rtmp/{protocol}: {stage}")

    def test_of_webrtc(self, server: Simulator) -> None:
        create(server, tenant())
        server.inject("offer_without_candidates", method="OFFER", times=-1, variant="none")
        done = verify(server, tenant(), protocols_in=["rtmp"], protocols_out=["webrtc", "thumbnail"])
        assert [row[3:] for row in short(done)] == [("plays", None), ("fails", "ice"), ("plays", None)]

    @pytest.mark.parametrize(
        ("protocol", "fault", "stage"), [("rtmp", "rtmp_refused", "connection"), ("whip", "whip_refused", "status")]
    )
    def test_of_publishers(self, server: Simulator, protocol: str, fault: str, stage: str) -> None:
        create(server, tenant())
        server.inject(fault, times=-1)
        done = verify(server, tenant(), protocols_in=[protocol], protocols_out=["llhls"])
        assert short(done) == [(protocol, None, None, "fails", stage)]
        assert done["error"]["kind"] == "test_stream"

    def test_a_stream_that_the_server_does_not_list(self, server: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
        create(server, tenant())
        monkeypatch.setattr(verification.Arrivals, "place_of", lambda *_arguments: None)
        done = verify(server, tenant(), protocols_in=["rtmp"], wait_timeout=1)
        assert short(done) == [("rtmp", None, None, "fails", "not_listed")]

    def test_no_output(self, server: Simulator) -> None:
        vhost = tenant(app=application(output_profiles={"output_profile": []}))
        create(server, vhost)
        done = verify(server, vhost, protocols_in=["rtmp"], wait_timeout=5)
        assert short(done)[1:] == [("rtmp", None, None, "fails", "output")]
        assert done["rows"][1]["error"]["kind"] == "no_output"

    def test_what_should_be_closed_is_open(self, server: Simulator) -> None:
        create(server, tenant())
        enables = {"providers": ["rtmp"], "publishers": ["thumbnail"]}
        listed = tenant(signed_policy={**POLICY, "enables": enables})
        done = verify(server, listed, protocols_in=["rtmp"], protocols_out=["thumbnail"])
        assert [row[1:] for row in short(done)] == [
            (None, False, "fails", "allowed"),
            (None, True, "plays", None),
            ("thumbnail", False, "fails", "allowed"),
            ("thumbnail", True, "plays", None),
        ]
        assert [row["error"]["kind"] for row in done["rows"] if row["error"]] == ["publish_allowed", "play_allowed"]

    def test_a_policy_that_signs_nothing(self, server: Simulator) -> None:
        create(server, tenant())
        listed = tenant(signed_policy={**POLICY, "secret_key": "", "enables": {"publishers": ["llhls"]}})
        done = verify(server, listed)
        assert [row["stage"] for row in done["rows"]] == ["bad_input"] and "signed_policy" in done["msg"]

    def test_what_the_server_lacks(self, server: Simulator) -> None:
        create(server, tenant())
        gone = [{"vhost": "t-gone", "name": "live"}, {"vhost": "t-a", "name": "gone"}]
        done = verify(server, applications=gone)
        assert [row["stage"] for row in done["rows"]] == ["vhost_not_found", "application_not_found"]

    def test_an_application_that_goes_meanwhile(self, server: Simulator) -> None:
        create(server, tenant())
        server.inject("status", method="GET", path="/vhosts/t-a/apps", times=-1, status=404)
        done = verify(server, tenant(), protocols_in=["rtmp"])
        assert [row[3] for row in short(done)] == ["fails"] and done.failed

    def test_libraries_are_missing(self, server: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
        create(server, tenant())
        find = importlib.util.find_spec
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda name, *more: None if name == "av" else find(name, *more)
        )
        done = verify(server, tenant())
        assert done["error"]["kind"] == "play_library" and "-m pip install av" in done["msg"]

    def test_the_end_of_a_stream_cannot_be_read(self, server: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
        create(server, tenant())
        play = verification.Verification._play

        def play_and_lose(self: Any, trials: Any) -> None:
            play(self, trials)
            server.inject("status", method="GET", path="/streams", times=-1, status=500)

        monkeypatch.setattr(verification.Verification, "_play", play_and_lose)
        done = verify(server, tenant(), protocols_in=["rtmp"], protocols_out=["thumbnail"])
        assert not done.failed and "is gone is not known." in done.warnings[0]

    def test_a_stream_that_stays_is_removed(self, server: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
        create(server, tenant())
        monkeypatch.setattr(verification, "_GONE", 0.0)
        monkeypatch.setattr(verification.Signal, "end", lambda _self: None)
        monkeypatch.setattr(verification.Signal, "join", lambda _self: None)
        given = {"vhosts": [tenant()], "protocols_in": ["rtmp"], "protocols_out": ["thumbnail"]}
        done = running_modules.run_module("verify", options(server, **given))
        assert not done.failed and [record.method for record in server.writes][-1] == "DELETE"


class TestOptions:
    """What is refused before anything is sent."""

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({"viewers": {"timeout": 0}}, "viewers.timeout"),
            ({"wait_timeout": -1}, "wait_timeout"),
            ({"only_vhosts": []}, "only_vhosts"),
            ({"viewers": {"origin": "example.com"}}, "viewers.origin"),
            ({"viewers": {"connect_to": "*.example.com"}}, "viewers.connect_to"),
            ({"encoders": {"connect_to": "a b"}}, "encoders.connect_to"),
            ({"sink": {"host": "a b"}}, "sink.host"),
            ({"sink": {"host": "127.0.0.1", "port": 70000}}, "sink.port"),
            ({"encoders": {"ports": {"rtmp": 0}}}, "encoders.ports.rtmp"),
            ({"viewers": {"ports": {"llhls": -1}}}, "viewers.ports.llhls"),
            ({"viewers": {"chain_ca_path": "/gone"}}, "viewers.chain_ca_path"),
            ({"vhosts": [{"name": "a/b"}]}, "vhosts[0].name"),
        ],
    )
    def test_bad_input(self, server: Simulator, given: dict[str, Any], expected: str) -> None:
        done = verify(server, **given)
        assert done["error"]["kind"] == "bad_input" and expected in done["msg"] and server.log == []


def test_a_row_has_a_name_for_what_is_tried() -> None:
    row = Row("t-a", "live", HOST, "rtmp")
    assert row.attempt == f"publish a test signal by rtmp to {HOST}/live of t-a"
