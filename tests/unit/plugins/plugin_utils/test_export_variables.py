# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects of a server as variables of the role provision."""

from __future__ import annotations

import random
from typing import Any

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import MASK, mask_url
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._export_variables import export_variables
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._yaml_texts import to_yaml
from jinja2 import Environment, StrictUndefined

PREFIX = "ovenmediaengine_secret_"


class _Loader(yaml.SafeLoader):
    """As Ansible reads it: a text that is marked as unsafe is a text."""


_Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))


def load(text: str) -> Any:
    """The value of the only variable in a text."""
    ((name, value),) = yaml.load(text, _Loader).items()
    assert name.removeprefix("ovenmediaengine_") in (
        "vhosts",
        "applications",
        "push_tasks",
        "streams",
        "scheduled_channels",
        "multiplex_channels",
        "records",
    )
    return value


def vhost(name: str, **fields: Any) -> dict[str, Any]:
    """A virtual host as an info module returns it."""
    return {"name": name, "host": {"names": [f"{name}.example.com"]}, **fields}


def app(vhost_name: str, name: str = "live", **fields: Any) -> dict[str, Any]:
    """An application as an info module returns it."""
    return {"vhost": vhost_name, "name": name, "type": "live", "publishers": {"push": {}}, **fields}


def task(vhost_name: str, number: str = "one", **fields: Any) -> dict[str, Any]:
    """A push task as an info module returns it."""
    common = {"protocol": "rtmp", "url": "rtmp://one.example.com/live", "stream_key": MASK}
    return {
        "vhost": vhost_name,
        "app": "live",
        "id": number,
        "stream": {"name": "main", "variant_names": []},
        **common,
        **fields,
    }


def export(
    vhosts: Any = (),
    apps: Any = (),
    tasks: Any = (),
    *,
    read_only: Any = (),
    unmanaged: Any = None,
    dynamic: Any = (),
    config: Any = (),
    named: Any = (),
    **more: Any,
) -> dict[str, Any]:
    """Export objects; ``dynamic`` and ``config`` are the places of those that are so, and ``more`` are results of
    further info modules.
    """
    return export_variables(
        {
            "vhosts": {"vhosts": list(vhosts), "read_only": list(read_only), "unmanaged_fields": unmanaged or {}},
            "applications": {
                "applications": list(apps),
                "status": [{"dynamic": index in dynamic} for index in range(len(apps))],
            },
            "push_tasks": {
                "tasks": list(tasks),
                "status": [{"is_config": index in config} for index in range(len(tasks))],
            },
            **more,
        },
        list(named),
    )


def test_an_empty_server_gives_empty_lists() -> None:
    made = export()
    assert made["vhosts"] == "ovenmediaengine_vhosts: []"
    assert made["counts"] == {"vhosts": 0, "applications": 0, "push_tasks": 0}
    assert made["secrets"] == made["left_out"] == []


def test_order_of_objects_and_of_fields_is_always_the_same() -> None:
    policy = {"policy_query_key_name": "p", "signature_query_key_name": "s", "secret_key": MASK}
    vhosts = [vhost(name, signed_policy=policy) for name in ("b", "a", "c")]
    apps = [app(name, extra={"zz": 1, "aa": {"y": 1, "x": 2}}) for name in ("b", "a", "c")]
    tasks = [task(name, number) for name in ("b", "a", "c") for number in ("two", "one")]
    first = export(vhosts, apps, tasks)
    assert [entry["name"] for entry in load(first["vhosts"])] == ["a", "b", "c"]
    assert list(load(first["vhosts"])[0]) == ["name", "host", "signed_policy"]
    assert list(load(first["applications"])[0]["extra"]) == ["aa", "zz"]
    assert [entry["id"] for entry in load(first["push_tasks"])[:2]] == ["one", "two"]
    shuffle = random.Random(1)
    for objects in (vhosts, apps, tasks):
        shuffle.shuffle(objects)
        objects[:] = [dict(reversed(list(entry.items()))) for entry in objects]
    assert export(vhosts, apps, tasks) == first


def test_a_mask_becomes_a_variable_that_is_listed() -> None:
    hooks = {
        "control_server_url": f"https://{MASK}@hooks.example.com/x?mode=a&token={MASK}&{MASK}#{MASK}",
        "secret_key": MASK,
        "timeout": 2000,
    }
    made = export([vhost("tenant-a", admission_webhooks=hooks)])
    (entry,) = load(made["vhosts"])
    name = f"{PREFIX}tenant_a_admission_webhooks"
    assert entry["admission_webhooks"]["secret_key"] == "{{ %s_secret_key }}" % name
    assert entry["admission_webhooks"]["control_server_url"] == (
        "https://{{ %s }}@hooks.example.com/x?mode=a&token={{ %s }}&{{ %s }}#{{ %s }}"
        % tuple(f"{name}_control_server_url_{part}" for part in ("user_info", "token", "query", "fragment"))
    )
    assert [secret["name"] for secret in made["secrets"]] == [
        *(f"{name}_control_server_url_{part}" for part in ("user_info", "token", "query", "fragment")),
        f"{name}_secret_key",
    ]
    assert made["secrets"][-1]["where"] == "virtual host tenant-a: admission_webhooks.secret_key"
    assert MASK not in made["vhosts"]


@pytest.mark.parametrize(
    "url",
    [
        "rtmp://one.example.com/live/hidden",
        "rtmp://u:hidden@one.example.com/live/hidden/more",
        "rtmps://u@one.example.com/{{live}}/hidden{",
        "rtmp://one.example.com/{live}{/%}{%25}/{{hidden}}",
        "srt://h.example.com:9?mode=caller&streamid=hidden&passphrase=hidden&x",
        "srt://h.example.com:9?passphrase=a&passphrase=b#c",
        "rtmp://a@b@c.example.com/live",
    ],
)
def test_the_secret_parts_filled_in_give_the_whole_url_again(url: str) -> None:
    masked = mask_url(url)
    made = export(
        [vhost("a")],
        [app("a")],
        [task("a", url=masked, protocol="srt" if url.startswith("srt") else "rtmp", stream_key="")],
    )
    (entry,) = load(made["push_tasks"])
    template = entry["url"]
    parts = masked.split(MASK)
    values, rest = {}, url
    for secret, before, after in zip(made["secrets"], parts, parts[1:]):
        rest = rest[len(before) :]
        end = rest.index(after) if after else len(rest)
        values[secret["name"]], rest = rest[:end], rest[end:]
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    assert environment.from_string(template).render(values) == url
    for value in values.values():
        assert len(value) < 4 or value not in made["push_tasks"]


def test_texts_that_look_like_templates_are_marked() -> None:
    made = export(
        [vhost("a", distribution="{{ lookup('env', 'HOME') }}")],
        [app("a")],
        [task("a", stream={"name": "{% x", "variant_names": ["{#", "{ {"]})],
    )
    assert "distribution: !unsafe \"{{ lookup('env', 'HOME') }}\"" in made["vhosts"]
    assert 'name: !unsafe "{% x"' in made["push_tasks"]
    assert load(made["push_tasks"])[0]["stream"] == {"name": "{% x", "variant_names": ["{#", "{ {"]}


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "012",
        "1:20",
        "~",
        "",
        " a",
        "a #b",
        "a: b",
        "\u2028",
        "x\u0085y",
        "\ufeff",
        "'\"\\",
        "!x",
        "é",
        "=",
        "x" * 3000 + " y",
    ],
)
def test_every_text_is_one_line_and_comes_back(text: str) -> None:
    made = to_yaml([{"text": text}])
    assert yaml.safe_load(made) == [{"text": text}]
    assert len(made.splitlines()) == 1


def test_places_that_would_share_a_variable_get_one_each() -> None:
    policy = {"policy_query_key_name": "p", "signature_query_key_name": "s", "secret_key": MASK}
    made = export([vhost(name, signed_policy=policy) for name in ("tenant-a", "tenant.a", "b")])
    names = [secret["name"] for secret in made["secrets"]]
    assert names[0] == f"{PREFIX}b_signed_policy_secret_key"
    assert all(name.startswith(f"{PREFIX}tenant_a_signed_policy_secret_key_") for name in names[1:])
    assert len(set(names)) == 3
    assert [entry["signed_policy"]["secret_key"] for entry in load(made["vhosts"])] == [
        "{{ %s }}" % name for name in names
    ]


def test_entries_of_lists_are_named_for_what_they_are_not_for_their_place() -> None:
    def origin(location: str, host: str) -> dict[str, Any]:
        return {"location": location, "pass": {"scheme": "ovt", "urls": {"url": [f"{host}:9000/x?token={MASK}"]}}}

    one = export([vhost("a", origins={"origin": [origin("/b", "b")]})])["secrets"]
    two = export([vhost("a", origins={"origin": [origin("/a", "a"), origin("/b", "b")]})])["secrets"]
    assert one[0]["name"] in [secret["name"] for secret in two]
    assert len({secret["name"] for secret in two}) == 2


def test_what_comes_back_by_itself_is_left_out() -> None:
    made = export(
        [vhost("default"), vhost("named"), vhost("a", signed_policy={"secret_key": MASK})],
        [app("default"), app("named"), app("a"), app("a", "pulled")],
        [task("default"), task("a"), task("a", "config"), {**task("a", "lost"), "app": "pulled"}],
        read_only=["default"],
        named=["named"],
        dynamic=[3],
        config=[2],
    )
    assert [entry["name"] for entry in load(made["vhosts"])] == ["a"]
    assert [(entry["vhost"], entry["name"]) for entry in load(made["applications"])] == [("a", "live")]
    assert [(entry["vhost"], entry["id"]) for entry in load(made["push_tasks"])] == [("a", "one"), ("default", "one")]
    assert [(entry["what"], entry["reason"]) for entry in made["left_out"]] == [
        ("virtual host default", "comes from the server's configuration file"),
        ("virtual host named", "comes from the server's configuration file"),
        ("application default/live", "comes from the server's configuration file"),
        ("application named/live", "comes from the server's configuration file"),
        ("push task a/pulled/lost", "lies in application a/pulled, which is left out"),
    ]
    assert made["counts"] == {"vhosts": 1, "applications": 1, "push_tasks": 2}


def test_what_the_modules_would_refuse_is_left_out_with_what_is_in_it() -> None:
    made = export(
        [{"name": "bare"}, vhost("a")],
        [app("bare"), app("a"), app("a", "b", output_profiles={"output_profile": [{"name": "x"}]})],
        [
            task("bare"),
            task("a"),
            task("a", "wrong", url="http://one.example.com/x"),
            {**task("a", "in-b"), "app": "b"},
            task("a", "s%s"),
        ],
    )
    assert made["counts"] == {"vhosts": 1, "applications": 1, "push_tasks": 1}
    reasons = {entry["what"]: entry["reason"] for entry in made["left_out"]}
    assert "host.names" in reasons["virtual host bare"]
    assert reasons["application bare/live"] == "lies in virtual host bare, which is left out"
    assert reasons["push task bare/live/one"] == "lies in virtual host bare, which is left out"
    assert "output_stream_name" in reasons["application a/b"]
    assert reasons["push task a/b/in-b"] == "lies in application a/b, which is left out"
    assert "url" in reasons["push task a/live/wrong"] and "id" in reasons["push task a/live/s%s"]
    # Their secrets need no variable.
    assert [secret["name"] for secret in made["secrets"]] == [f"{PREFIX}a_live_one_stream_key"]


def test_what_cannot_be_written_is_named() -> None:
    made = export([vhost("a")], unmanaged={"b": ["z", "x\ny"], "a": ["new.field"]})
    assert made["unmanaged_fields"] == {"a": ["new.field"], "b": ["x\\ny", "z"]}


def test_a_name_that_ansible_hides_is_no_secret_to_fill_in() -> None:
    made = export(
        [vhost("VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"), vhost("a", distribution="VALUE_SPECIFIED_IN_NO_LOG_PARAMETER")]
    )
    assert [entry["name"] for entry in load(made["vhosts"])] == ["a"]
    assert [secret["name"] for secret in made["secrets"]] == [f"{PREFIX}a_distribution"]
    assert "secret of the connection" in made["left_out"][0]["reason"]


def test_numbers_of_the_server_are_taken_as_the_modules_take_them() -> None:
    video = {"name": "v", "codec": "h264", "bitrate": 2000000, "width": 1280, "framerate": 29.97}
    made = export(
        [vhost("a")],
        [
            app(
                "a",
                output_profiles={
                    "output_profile": [{"name": "x", "output_stream_name": "y", "encodes": {"videos": [video]}}]
                },
            )
        ],
    )
    assert load(made["applications"])[0]["output_profiles"]["output_profile"][0]["encodes"]["videos"] == [video]


# Streams, channels and recordings


def live(vhost_name: str, name: str, source_type: str = "RtspPull", url: str = "rtsp://c.example.com/x") -> Any:
    """A stream as an info module returns it."""
    source = {"source_type": source_type, "source_url": url}
    return {"vhost": vhost_name, "app": "live", "name": name, "input": source, "outputs": []}


def recording(number: str, **fields: Any) -> dict[str, Any]:
    """A recording as an info module returns it."""
    empty = {"info_path": "", "interval": 0, "schedule": "", "segmentation_rule": "discontinuity", "metadata": ""}
    stream = {"name": "main", "variant_names": []}
    path = "/${Stream}/${StartTime:YYYYMMDDhhmmss}.ts"
    return {"vhost": "a", "app": "live", "id": number, "stream": stream, "file_path": path, **empty, **fields}


def recordings(*found: dict[str, Any], config: Any = ()) -> dict[str, Any]:
    return {"records": list(found), "status": [{"is_config": one["id"] in config} for one in found]}


def test_pulled_streams_have_the_url_that_the_server_reports() -> None:
    streams = [
        live("a", "two", url=f"rtsp://{MASK}@c.example.com:554/x"),
        live("a", "one", "Ovt", "ovt://o.example.com:9000/app/x"),
        live("a", "encoder", "Rtmp", "rtmp://c.example.com/x"),
        live("a", "channel", "Scheduled", ""),
    ]
    made = export([vhost("a")], [app("a")], streams={"streams": streams})
    assert load(made["streams"]) == [
        {"vhost": "a", "app": "live", "name": "one", "urls": ["ovt://o.example.com:9000/app/x"]},
        {
            "vhost": "a",
            "app": "live",
            "name": "two",
            "urls": ["rtsp://{{ %sa_live_two_urls_rtsp_c_example_com_554_x_user_info }}@c.example.com:554/x" % PREFIX],
        },
    ]
    assert made["counts"]["streams"] == 2 and made["left_out"] == []
    assert [secret["where"] for secret in made["secrets"]] == ["stream a/live/two: urls[0] (in it: user info)"]


def test_streams_that_the_server_pulls_for_viewers_are_omitted() -> None:
    origins = {"origin": [{"location": "/live/auto", "pass": {"scheme": "ovt", "urls": {"url": ["o.example.com"]}}}]}
    made = export(
        [vhost("a", origins=origins), vhost("b")],
        [app("a"), app("b")],
        dynamic=(1,),
        streams={"streams": [live("a", "auto-1"), live("a", "own"), live("b", "auto-2")]},
    )
    assert [(entry["vhost"], entry["name"]) for entry in load(made["streams"])] == [("a", "own")]
    assert made["left_out"] == []


def test_a_pull_that_the_module_would_refuse_is_left_out() -> None:
    made = export([vhost("a")], [app("a")], streams={"streams": [live("a", "x", "RtmpPull", "rtmp://c.example.com/x")]})
    assert load(made["streams"]) == []
    assert [(entry["what"], "expected 'rtsp://" in entry["reason"]) for entry in made["left_out"]] == [
        ("stream a/live/x", True)
    ]


def test_recordings_but_those_of_the_configuration() -> None:
    made = export(
        [vhost("a")],
        [app("a")],
        records=recordings(recording("two", metadata=MASK), recording("one"), recording("config"), config=("config",)),
    )
    one, two = load(made["records"])
    assert one == recording("one") and list(one)[:5] == ["vhost", "app", "id", "stream", "file_path"]
    assert two == recording("two", metadata="{{ %sa_live_two_metadata }}" % PREFIX)
    assert made["secrets"][0]["where"] == "recording a/live/two: metadata"
    assert made["counts"] == {"vhosts": 1, "applications": 1, "records": 2, "push_tasks": 0}


def test_channels_are_complete_and_sorted() -> None:
    item = {"url": "file://x.mp4", "start": 0, "duration": -1}
    program = {"name": "p", "scheduled": "2030-01-01T00:00:00.000+00:00", "repeat": False, "items": [item]}
    track = {"source_track_name": "video", "new_track_name": "v", "bitrate_conf": 0, "framerate_conf": 0}
    sources = [{"name": "s", "url": "stream://a/live/main", "track_map": [track]}]
    place = {"vhost": "a", "app": "live"}
    scheduled = [{**place, "name": name, "stream": {"audio_map": []}, "programs": [program]} for name in ("b", "a")]
    multiplex = [{**place, "name": "m", "source_streams": sources, "playlists": []}]
    broken = {**place, "name": "broken", "source_streams": [], "playlists": []}
    made = export(
        [vhost("a")],
        [app("a")],
        scheduled_channels={"scheduled_channels": scheduled},
        multiplex_channels={"multiplex_channels": [broken, *multiplex]},
    )
    assert load(made["scheduled_channels"]) == scheduled[::-1]
    assert load(made["multiplex_channels"]) == multiplex
    assert [entry["what"] for entry in made["left_out"]] == ["multiplex channel a/live/broken"]


def test_objects_of_an_application_that_is_left_out_are_left_out() -> None:
    refused = app("a", "bad", output_profiles={"output_profile": [{"name": "x"}]})
    made = export(
        [vhost("a")],
        [refused],
        streams={"streams": [{**live("a", "x"), "app": "bad"}]},
        records=recordings(recording("one", app="bad")),
    )
    assert [entry["what"] for entry in made["left_out"]] == [
        "application a/bad",
        "stream a/bad/x",
        "recording a/bad/one",
    ]
