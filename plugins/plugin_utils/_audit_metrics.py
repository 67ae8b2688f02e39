# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report of an audit as metrics for Prometheus, in its text format.

Labels contain names of servers and virtual hosts, TLS ports, versions and words with few values. IDs, URLs and messages
are in no label.
"""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import SEVERITIES
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import encodable, shortened
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_report import OK, natural, seconds_of

PREFIX = "ovenmediaengine_audit_"
LONGEST_LABEL = 200  # characters
VHOST_STATES = ("missing", "not_listed", *SEVERITIES, OK)
# States in lower case. A server could report any text, so other texts do not become labels.
# Sources: server-facts: Push tasks; server-facts: Recordings.
OTHER = "other"
UNKNOWN = "unknown"
JOB_STATES = ("ready", "connecting", "pushing", "recording", "stopping", "stopped", "error")
# Sources: server-facts: Scheduled channels; server-facts: Multiplex channels.
CHANNEL_STATES = ("onair", "offair", "playing", "pulling")
STATES = (*JOB_STATES, *CHANNEL_STATES, UNKNOWN)
Record = t.Mapping[str, t.Any]
Samples = dict[tuple[str, ...], t.Union[int, float]]


class Metric(t.NamedTuple):
    """The name of a metric after the prefix, its help text, and the names of its labels."""

    name: str
    text: str
    labels: tuple[str, ...] = ()


_ENDPOINT = ("server", "vhost", "endpoint")
_COUNTED = ("server", "vhost", "app", "stream")
_PLAYED = ("server", "vhost", "protocol")
METRICS = (
    Metric("start_timestamp_seconds", "Time at which the audit began, of the oldest part if reports were merged."),
    Metric("end_timestamp_seconds", "Time at which the report was made."),
    Metric("duration_seconds", "Time from the begin of the audit to the report."),
    Metric("servers", "Number of servers by the worst severity of their findings.", ("status",)),
    Metric("server_reachable", "Whether the API of the server has answered.", ("server",)),
    Metric("server_info", "Version of the server, with the value 1.", ("server", "version")),
    Metric("server_findings", "Number of findings of the server by severity.", ("server", "severity")),
    Metric("findings", "Number of findings of the server by severity and kind.", ("server", "severity", "kind")),
    Metric("vhosts", "Number of virtual hosts by the worst severity of their findings.", ("server", "status")),
    Metric("live_streams", "Number of live inputs.", ("server", "vhost")),
    Metric("push_tasks", "Number of push tasks by state.", ("server", "vhost", "state")),
    Metric("records", "Number of recordings by state.", ("server", "vhost", "state")),
    Metric("streams", "Number of listed pulled streams that are live or missing.", ("server", "vhost", "state")),
    Metric("channels", "Number of channels by state.", ("server", "vhost", "type", "state")),
    Metric("uptime_seconds", "Time since the server started.", ("server",)),
    Metric("connections", "Number of viewers and pushes by protocol.", (*_COUNTED, "protocol")),
    Metric("throughput_bytes_per_second", "Average rate of what comes in or goes out.", (*_COUNTED, "direction")),
    Metric("transferred_bytes", "Amount of what has come in or gone out.", (*_COUNTED, "direction")),
    Metric("expected_streams", "Number of expected streams by state.", ("server", "vhost", "state")),
    Metric("playbacks", "Number of playbacks by outcome.", (*_PLAYED, "verdict")),
    Metric("playback_first_frame_seconds", "Longest time from the first request to the first decoded frame.", _PLAYED),
    Metric("playback_latency_seconds", "Highest latency of the playbacks.", _PLAYED),
    Metric("certificate_served", "Whether the TLS port serves a certificate.", _ENDPOINT),
    Metric("certificate_matches_file", "Whether the TLS port serves the certificate of the file.", _ENDPOINT),
    Metric("certificate_not_after_timestamp_seconds", "Time at which the served certificate ends.", _ENDPOINT),
)
"""All metrics in their order."""


def audit_metrics(report: Record) -> str:
    """Return the report in the text format of Prometheus."""
    samples: dict[str, Samples] = {metric.name: {} for metric in METRICS}
    _add_audit(samples, report)
    for server in sorted(report["servers"], key=lambda server: natural(server["name"])):
        _add_server(samples, server)
    return "".join(line for metric in METRICS for line in _lines(metric, samples[metric.name]))


def _add_audit(samples: dict[str, Samples], report: Record) -> None:
    """Add what is about all servers."""
    start, end = (seconds_of(report[time]) or 0 for time in ("started_at", "generated_at"))
    samples["start_timestamp_seconds"][()] = start
    samples["end_timestamp_seconds"][()] = end
    # The clock may have been set back in between.
    samples["duration_seconds"][()] = max(end - start, 0)
    for status in (*SEVERITIES, OK):
        samples["servers"][(status,)] = sum(server["status"] == status for server in report["servers"])


def _add_server(samples: dict[str, Samples], server: Record) -> None:
    """Add what is about one server."""
    name = _label(server["name"])
    samples["server_reachable"][(name,)] = int(bool(server["reachable"]))
    if server["version"] is not None:
        samples["server_info"][name, _label(server["version"])] = 1
    for severity in SEVERITIES:
        samples["server_findings"][name, severity] = server["counts"][severity]
    _count(samples["findings"], ((name, _label(one["severity"]), _label(one["kind"])) for one in server["findings"]))
    for status in VHOST_STATES:
        samples["vhosts"][name, status] = sum(one["status"] == status for one in server["vhosts"])
    for one in sorted(server["vhosts"], key=lambda one: natural(one["name"])):
        if one.get("live_streams") is not None:  # reports of earlier releases have no numbers
            key = (name, _label(one["name"]))
            samples["live_streams"][key] = samples["live_streams"].get(key, 0) + one["live_streams"]
    for option in ("push_tasks", "records"):
        _count(samples[option], ((name, _label(one["vhost"]), _state(one["state"])) for one in server[option]))
    _count(
        samples["streams"],
        ((name, _label(one["vhost"]), "live" if one["live"] else "missing") for one in server["streams"]),
    )
    _count(
        samples["channels"],
        ((name, _label(one["vhost"]), _label(one["type"]), _state(one["state"])) for one in server["channels"]),
    )
    _count(
        samples["expected_streams"], ((name, _label(one["vhost"]), one["state"]) for one in server["expected_streams"])
    )
    _add_statistics(samples, name, server["statistics"])
    _add_playbacks(samples, name, server["playbacks"])
    for one in sorted(server["certificates"], key=lambda one: (natural(one["vhost"]), natural(one["endpoint"]))):
        _add_certificate(samples, (name, _label(one["vhost"]), _label(one["endpoint"])), one)


def _add_statistics(samples: dict[str, Samples], name: str, statistics: t.Iterable[Record]) -> None:
    """Add who watches. The labels of the whole server are empty but one."""
    for one in sorted(statistics, key=lambda one: [natural(one[part]) for part in ("vhost", "app", "stream")]):
        place = (name, _label(one["vhost"]), _label(one["app"]), _label(one["stream"]))
        if one["uptime"] is not None:
            samples["uptime_seconds"][(name,)] = one["uptime"]
        for protocol, number in (one["connections"] or {}).items():
            samples["connections"][(*place, _label(protocol))] = number
        for direction in ("in", "out"):
            rate, amount = one[f"bits_per_second_{direction}"], one[f"bytes_{direction}"]
            if rate is not None:
                samples["throughput_bytes_per_second"][(*place, direction)] = rate / 8  # the base unit of Prometheus
            if amount is not None:
                samples["transferred_bytes"][(*place, direction)] = amount


def _add_playbacks(samples: dict[str, Samples], name: str, playbacks: t.Iterable[Record]) -> None:
    """Add what was played. Names of streams are no labels, because they can be secret keys of publishers."""
    found = [
        ((name, _label(one["vhost"]), _label(one["protocol_out"])), one)
        for one in playbacks
        if one["protocol_out"] is not None
    ]
    _count(samples["playbacks"], ((*key, _label(one["verdict"])) for key, one in found))
    for metric, value in (
        ("playback_first_frame_seconds", "seconds_to_first_frame"),
        ("playback_latency_seconds", "latency"),
    ):
        for key, one in sorted(found, key=lambda pair: [natural(label) for label in pair[0]]):
            if one[value] is not None:
                samples[metric][key] = max(one[value], samples[metric].get(key, one[value]))


def _add_certificate(samples: dict[str, Samples], key: tuple[str, str, str], entry: Record) -> None:
    """Add what one TLS port serves. If two entries have the same labels, the worse one counts."""
    served = entry["certificate"]
    values = {
        "certificate_served": int(served is not None),
        "certificate_matches_file": None if entry["agrees"] is None else int(entry["agrees"]),
        "certificate_not_after_timestamp_seconds": seconds_of(served["not_after"]) if served is not None else None,
    }
    for metric, value in values.items():
        if value is not None:
            samples[metric][key] = min(value, samples[metric].get(key, value))


def _count(samples: Samples, keys: t.Iterable[tuple[str, ...]]) -> None:
    """Count equal labels, and add the numbers sorted by labels."""
    for key in sorted(keys, key=lambda key: [natural(label) for label in key]):
        samples[key] = samples.get(key, 0) + 1


def _state(state: t.Any) -> str:
    """Return a state as a label with few values."""
    word = UNKNOWN if state is None else str(state).lower()
    return word if word in STATES else OTHER


def _label(value: t.Any) -> str:
    return shortened(encodable(str(value)), LONGEST_LABEL)


# Text format: https://prometheus.io/docs/instrumenting/exposition_formats/

# Escapes of label values. Other control characters could break a line in a program that reads the file.
_ESCAPES = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029), "\ufffd")
_ESCAPES.update({ord("\\"): "\\\\", ord('"'): '\\"', ord("\n"): "\\n"})


def _lines(metric: Metric, samples: Samples) -> t.Iterator[str]:
    """Yield the lines of a metric; none if it has no samples."""
    if not samples:
        return
    yield f"# HELP {PREFIX}{metric.name} {metric.text}\n"
    yield f"# TYPE {PREFIX}{metric.name} gauge\n"
    for values, number in samples.items():
        labels = ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in zip(metric.labels, values))
        yield f"{PREFIX}{metric.name}{'{' + labels + '}' if labels else ''} {number}\n"
