# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between the server versions that the simulator can be.

Every difference is one field of :class:`ServerVersion`; the rest of the simulator asks for the field and
never for the name of a version.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class ServerVersion:
    """The behaviour of one server version. Defaults are those of the newest release, seen on a running server."""

    name: str
    """Name on the command line, and the name of the recording in tests/wire."""
    reported: str = "0.21.0"
    """``version`` as GET /v1/version tells it."""
    has_version_call: bool = True
    """GET /v1/version exists (server-facts: HTTP)."""
    has_api_certificate_reload: bool = True
    """POST /v1/managers/api:reloadCertificate exists (server-facts: Certificates)."""
    keys: str = "0.21.0"
    """Which keys the configuration takes, in which spelling: the name of a table in tests/wire/keys."""
    takes_other_keys: bool = False
    """Keys that are not in that table are taken too, at every level, and kept as posted."""
    static_scalars_are_strings: bool = True
    """A virtual host of the configuration file returns numbers as strings (server-facts: Virtual hosts)."""
    requires_host_names: bool = False
    """A virtual host without host.names is refused; only documented, real servers take it."""
    reads_have_distribution: bool = False
    """GET of a virtual host always has ``distribution``; documented so, real servers return it only if it was set."""
    conflict_message: str = "The virtual host already exists: [{name}]"
    """Message of an item of POST /v1/vhosts whose name is taken."""
    applications_outlive_virtual_host: bool = True
    """Deleting a virtual host leaves its push tasks behind (server-facts: Virtual hosts; 0.17.1 and later)."""
    application_config_error_status: int = 400
    """Status of POST .../apps if an item has an unknown key (server-facts: Applications)."""
    push_publisher_keys: tuple[str, ...] = ("push", "rtmpPush", "srtPush", "mpegtsPush")
    """Keys of ``publishers`` that enable pushes; the first is the usual one (server-facts: Applications)."""
    protocols: tuple[str, ...] = ("rtmp", "mpegts", "srt")
    """Protocols of push tasks."""
    start_answers_array: bool = False
    """startPush answers with an array of one task (server-facts: Push tasks)."""
    stop_is_immediate: bool = False
    """A stopped task is gone when stopPush answers (server-facts: Push tasks)."""
    stop_message: str = "OK"
    """Envelope message of a successful stopPush."""
    duplicate_status: int = 400
    """Status of a startPush whose id is taken."""
    duplicate_text: str = "Duplicate ID"
    """Message of a startPush whose id is taken, without frame."""
    duplicate_before_url: bool = False
    """The id is compared before the url is looked at."""
    reports_is_config: bool = True
    """Every task has ``isConfig``; if false, only tasks of the configuration have it."""
    connecting_state: str | None = "connecting"
    """State while the destination has not answered yet; None if the version has no such state."""
    pushing_state: str = "pushing"
    """State while media flows."""
    stopping_state: str | None = None
    """State of a task that was asked to stop; None if it keeps the one it had."""
    reload_reports_failure: bool = False
    """A reload of broken certificate files answers 500 (server-facts: Certificates)."""
    reload_without_tls_fails: bool = False
    """A reload of a virtual host without TLS answers 500 (server-facts: Certificates)."""
    has_last_throughput: bool = True
    """The statistics have ``lastThroughputIn`` and ``lastThroughputOut``."""
    sends_date: bool = True
    """Responses have the header ``Date`` (server-facts: HTTP)."""
    has_internals: bool = True
    """GET /v1/stats/current/internals/queues exists."""
    queues_have_dwell: bool = True
    """Queues report how long messages stay in them."""
    tracks: str = "0.21.0"
    """How a stream describes its tracks: a key of :data:`.tracks.KEYS`."""
    has_playlists: bool = True
    """A stream describes the playlists of its outputs."""
    event_formats: tuple[str, ...] = ("ID3V2",)
    """Formats of ``sendEvent``."""
    conclude_kills: bool = False
    """The process ends when a stream ends whose HLS was concluded."""
    pull_checks_urls: bool = True
    """A pull with an invalid url, or with several schemes, is 400."""
    pull_retries: int = 0
    """How often the server goes through the urls of a pull again, unless the pull says so."""
    pull_takes_retry_count: bool = True
    """A pull can say so with ``retryCount``."""
    publisher_counters: tuple[str, ...] = ("webrtc", "llhls", "ovt", "file", "push", "thumbnail", "hlsv3", "srt")
    """Names under ``connections`` in the statistics."""
    record_stop_is_complete: bool = True
    """stopRecord answers with the paths of the file and the right total of bytes (server-facts: Streams)."""
    record_file_path: str = "${TransactionId}_${VirtualHost}_${Application}_${Stream}_${StartTime:YYYYMMDDhhmmss}.ts"
    """Where recordings go if neither the request nor the configuration says it."""
    record_info_path: str = "${TransactionId}_${VirtualHost}_${Application}_${Stream}.xml"
    """The same for the description of a recording."""
    viewers_get_cors: bool = True
    """Responses to viewers have ``Vary`` and ``Access-Control-Allow-Methods``."""
    offers_transport_cc: bool = True
    """Offers to viewers by WebRTC have transport-wide congestion control."""
    offers_by_transport: bool = True
    """The parameter ``transport`` of viewers by WebRTC chooses between UDP, TCP and the relay (server-facts: What
    viewers get)."""
    has_channels: bool = True
    """There are scheduled and multiplex channels."""
    schedule_forwards_data: bool = True
    """Items of a scheduled channel have ``forwardData``."""
    schedule_tolerates_errors: bool = True
    """The stream of a scheduled channel has ``errorToleranceDurationMs``."""
    multiplex_has_bypass: bool = True
    """The output stream of a multiplex channel has ``bypassTranscoder``."""
    multiplex_describes_tracks: bool = True
    """Tracks of a multiplex channel have ``publicName``, ``language``, ``characteristics`` and ``audioIndex``."""

    @property
    def release(self) -> tuple[int, ...]:
        """Return the numbers of the release whose calls it has."""
        return tuple(int(part) for part in self.reported.split("."))

    @property
    def config_generation(self) -> int:
        """Return the second number of the version whose keys the configuration accepts."""
        return int(self.keys.split(".")[1])


V0_21_0 = ServerVersion(name="0.21.0")

V0_20_0 = replace(
    V0_21_0,
    name="0.20.0",
    reported="0.20.0",
    keys="0.20.0",
    offers_transport_cc=False,
    offers_by_transport=False,
    push_publisher_keys=("push", "rtmpPush", "srtPush", "mPEGTSPush"),
    record_stop_is_complete=False,
    record_file_path=(
        "/opt/ovenmediaengine/bin/records/${TransactionId}_${VirtualHost}_${Application}_${Stream}"
        "_${StartTime:YYYYMMDDhhmmss}_${EndTime:YYYYMMDDhhmmss}.ts"
    ),
    record_info_path=("/opt/ovenmediaengine/bin/records/${TransactionId}_${VirtualHost}_${Application}_${Stream}.xml"),
    schedule_forwards_data=False,
    multiplex_describes_tracks=False,
    queues_have_dwell=False,
    tracks="0.20.0",
    event_formats=("ID3V2", "CUE", "SCTE35"),
    pull_checks_urls=False,
    pull_retries=1,
)

# Not recorded: what is known of it is its table of keys, and what was read in its source.
V0_20_5 = replace(
    V0_20_0,
    name="0.20.5",
    reported="0.20.5",
    keys="0.20.5",
    offers_transport_cc=True,
    pull_retries=0,
    record_stop_is_complete=True,
    record_file_path=V0_21_0.record_file_path,
    record_info_path=V0_21_0.record_info_path,
    schedule_forwards_data=True,
    multiplex_describes_tracks=True,
)

V0_18_0 = replace(
    V0_20_0,
    name="0.18.0",
    reported="0.18.0",
    viewers_get_cors=False,
    has_api_certificate_reload=False,
    sends_date=False,
    keys="0.18.0",
    application_config_error_status=500,
    schedule_tolerates_errors=False,
    multiplex_has_bypass=False,
    tracks="0.18.0",
    event_formats=("ID3V2", "CUE"),
    conclude_kills=True,
    pull_retries=2,
    pull_takes_retry_count=False,
)

V0_15_10 = replace(
    V0_18_0,
    name="0.15.10",
    reported="0.15.10",
    has_version_call=False,
    keys="0.15.10",
    static_scalars_are_strings=False,
    applications_outlive_virtual_host=False,
    push_publisher_keys=("rtmpPush", "mPEGTSPush"),
    protocols=("rtmp", "mpegts"),
    start_answers_array=True,
    stop_is_immediate=True,
    stop_message="[HTTP] Success (200)",
    duplicate_text="Duplicate ID already exists",
    duplicate_before_url=True,
    reports_is_config=False,
    connecting_state=None,
    pushing_state="Pushing",
    reload_reports_failure=True,
    reload_without_tls_fails=True,
    has_channels=False,
    has_last_throughput=False,
    has_internals=False,
    tracks="0.15.10",
    has_playlists=False,
    event_formats=("ID3V2",),
    conclude_kills=False,
    publisher_counters=(
        "webrtc",
        "lldash",
        "hls",
        "llhls",
        "dash",
        "ovt",
        "file",
        "rtmppush",
        "mpegtspush",
        "thumbnail",
    ),
)

# The contract as written, and 0.20.0 if it says nothing.
DOCUMENTED = replace(
    V0_20_0,
    name="documented",
    requires_host_names=True,
    reads_have_distribution=True,
    conflict_message="Conflict",
    duplicate_status=409,
    reports_is_config=False,
    connecting_state=None,
    pushing_state="started",
    stopping_state="stopping",
    reload_reports_failure=True,
)

# No server that there is: what one after the newest release may be like, which takes settings that are not known yet.
LATER = replace(V0_21_0, name="later", reported="0.22.0", takes_other_keys=True)

VERSIONS: dict[str, ServerVersion] = {
    version.name: version for version in (V0_21_0, V0_20_5, V0_20_0, V0_18_0, V0_15_10, DOCUMENTED, LATER)
}
"""The versions by the name that ``--server-version`` takes."""

RELEASES = tuple(name for name in VERSIONS if name not in (DOCUMENTED.name, LATER.name))
"""The releases among them, the newest first."""
NEWEST = RELEASES[0]
"""The version that a simulator is if none is given."""
RECORDED = tuple(name for name in RELEASES if name != V0_20_5.name)
"""Those whose answers were recorded, with which the collection is tested."""
RECORDED_MEDIA = RECORDED[:-1]
"""Those of which answers about streams, recordings, channels and configuration files were recorded, too."""
