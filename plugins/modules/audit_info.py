#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: audit_info
short_description: Report differences and problems of an OvenMediaEngine server
version_added: 0.2.0
author:
  - StreamOps (@streamops)
description:
  - Compares one server with its desired virtual hosts, applications, push tasks, recordings, pulled streams and
    channels, and reports every difference, including unlisted objects.
  - Finds push tasks and recordings that fail or stall, live streams without output, channels that do not play,
    certificates that expire soon or differ from the expected ones, and known defects of the server's version.
  - Never sends a write, with or without check mode. RV(findings) reports what is wrong, which is not a failure. This
    also applies to an unreachable server and to invalid entries of the lists.
  - The module only fails if one of its own options is invalid, such as O(api_url) or O(sampling_interval).
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.certificate.chain
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
  - streamops.ovenmediaengine.durable.audited
options:
  vhosts:
    description:
      - The desired virtual hosts with their applications, in the format of
        O(streamops.ovenmediaengine.vhosts#module:vhosts). Fields omitted from an entry of any list are not compared.
      - "For example C({name: tenant-a, host: [live.example.com], applications: [{name: live, providers: [rtmp]}]})."
      - An existing application that is listed neither in its virtual host nor in O(applications) is a finding.
    type: list
    elements: dict
  applications:
    description:
      - Desired applications in addition to those in O(vhosts). Each entry has the options of
        M(streamops.ovenmediaengine.application) that describe the application, as in
        O(streamops.ovenmediaengine.applications#module:applications).
      - "For example C({vhost: tenant-a, name: live, providers: [rtmp], publishers: [llhls]})."
    type: list
    elements: dict
  push_tasks:
    description:
      - The desired push tasks, in the format of O(streamops.ovenmediaengine.push_tasks#module:tasks).
    type: list
    elements: dict
  records:
    description:
      - The desired recordings, in the format of O(streamops.ovenmediaengine.records#module:records).
      - Unlisted recordings are found in the applications of these entries.
    type: list
    elements: dict
    version_added: 2.0.0
  streams:
    description:
      - The desired pulled streams, in the format of O(streamops.ovenmediaengine.streams#module:streams).
      - Only C(urls) is compared, because the server does not report the other settings of a pull.
      - Unlisted streams are not found.
    type: list
    elements: dict
    version_added: 2.0.0
  scheduled_channels:
    description:
      - The desired scheduled channels, in the format of
        O(streamops.ovenmediaengine.scheduled_channels#module:scheduled_channels).
      - Unlisted channels are found in the applications of these entries.
    type: list
    elements: dict
    version_added: 2.0.0
  multiplex_channels:
    description:
      - The desired multiplex channels, in the format of
        O(streamops.ovenmediaengine.multiplex_channels#module:multiplex_channels).
      - Unlisted channels are found in the applications of these entries.
    type: list
    elements: dict
    version_added: 2.0.0
  only_vhosts:
    description:
      - Names of the virtual hosts to audit, or patterns such as V(tenant-*). Entries of the lists for others are left
        out, and of others on the server only host names and TLS are read.
    type: list
    elements: str
    default: ["*"]
    version_added: 3.0.0
  read_only_vhosts:
    description:
      - Names of virtual hosts of the server's configuration file. They and their applications need not be listed.
      - Most are recognized without this option. Exceptions are those without any number or boolean among their
        settings, and those of servers before 0.16.
    type: list
    elements: str
  certificates:
    description:
      - The certificates that the server should serve, and their endpoints.
      - Entries of O(streamops.ovenmediaengine.certificates#module:certificates) can be used as they are. Options that
        only that module uses are ignored.
    type: list
    elements: dict
    suboptions:
      vhost:
        description:
          - Name of the virtual host that the findings refer to.
        type: str
      certificate:
        description:
          - Path of a PEM file. Its first certificate is the expected one.
          - Mutually exclusive with O(certificates[].certificate_content), O(certificates[].certbot_live) and
            O(certificates[].fingerprint). Without any, any certificate for the host name is accepted.
        type: path
      certificate_content:
        description:
          - What such a file holds.
        type: str
        version_added: 3.0.0
      certbot_live:
        description:
          - Directory of certbot, such as V(/etc/letsencrypt/live/live.example.com). The expected certificate is in its
            file C(cert.pem).
        type: path
        version_added: 3.0.0
      fingerprint:
        description:
          - SHA-256 fingerprint of the expected certificate, 64 hexadecimal digits with or without colons.
        type: str
      endpoint:
        description:
          - The TLS ports to check, as a list, or as a dictionary for one port. C(endpoints) is another name of this
            option.
          - The default is O(certificate_endpoints). At least one is required.
          - The handshakes start directly from the host where the module runs and never use a proxy.
        type: list
        elements: dict
        suboptions:
          host:
            description:
              - Host name or address to connect to. If omitted, the host of O(api_url) is used.
            type: str
          port:
            description:
              - Port to connect to, from 1 to 65535. It is required.
            type: int
          server_name:
            description:
              - Host name to request by SNI. The server uses it to choose the certificate of a virtual host.
              - If omitted, the first host name without a V(*) that O(vhosts) lists for O(certificates[].vhost) is used.
                If there is none, O(certificates[].endpoint[].host) is used, and the names in the certificate are not
                checked.
            type: str
      days:
        description:
          - Days for which the certificate must still be valid. If omitted, O(certificate_days) is used.
        type: int
  certificates_remote_src:
    description:
      - Whether the files of O(certificates) are on the host where the module runs. Otherwise they are on the
        controller.
    type: bool
    default: true
    version_added: 3.0.0
  certificate_endpoints:
    description:
      - The TLS ports of entries of O(certificates) without ports of their own, in the format of
        O(streamops.ovenmediaengine.certificates#module:endpoints). If there are any, the virtual hosts of O(vhosts)
        with C(host.tls) that have no entry are checked, too.
    type: list
    elements: dict
    version_added: 3.0.0
  certificate_days:
    description:
      - Days for which every served certificate must still be valid.
    type: int
    default: 30
  sampling_interval:
    description:
      - Seconds between two samples of push tasks in state V(pushing) and recordings in state V(recording), from V(2) to
        V(600), or V(0) for one sample.
      - Two samples are needed to determine the bit rate and to detect stalled tasks. The server updates its byte
        counters about once a second, so a longer interval gives a more accurate bit rate.
    type: float
    default: 0
  expected_streams:
    description:
      - Streams that should be live, in the format of
        O(streamops.ovenmediaengine.expected_streams_info#module:expected_streams). One that is not is a finding of the
        kind V(stream_missing), and one that is worse than it should be V(stream_below_expectation). Both are errors.
    type: list
    elements: dict
    version_added: 3.0.0
  statistics:
    description:
      - How deep RV(statistics) are. Below V(server), each place is one request, and so are the live streams of each
        application.
    type: str
    choices: [server, vhosts, applications, streams]
    default: server
    version_added: 3.0.0
  statistics_streams:
    description: Number of streams, those with the most viewers, in RV(statistics).
    type: int
    default: 100
    version_added: 3.0.0
  play:
    description:
      - Whether to play the live streams as viewers do. Each output is played by each host name of its virtual host and
        each protocol of O(viewers). What does not play is a finding of the kind V(does_not_play), an error.
      - A playback that fails is repeated for 10 seconds. A stream that ends meanwhile is no finding.
      - Streams that need a signature are played with one that is made with C(signed_policy) of the virtual host.
      - Without a host name that a URL can have, a virtual host with V(*) is played by the host of O(api_url).
      - Needs the Python libraries C(m3u8) and C(av), and for WebRTC C(aiortc) and C(websockets), where the module runs.
    type: bool
    default: false
    version_added: 3.0.0
  viewers:
    description:
      - How viewers reach the server, in the format of O(streamops.ovenmediaengine.verify#module:viewers).
    type: dict
    version_added: 3.0.0
notes:
  - A server with V virtual hosts and A applications receives 3 + 2 V + 2 A requests, or one less for each application
    of a read-only virtual host that is not listed. A virtual host that O(only_vhosts) leaves out is one request. With
    O(sampling_interval), the server receives one more for each application with a running push. If it has received
    media since its start, each application and each live stream adds one.
  - Lists of recordings and channels add one request for each of their applications and kinds, and one for each channel
    that exists. Each pulled stream adds one.
  - A live stream without output, and a push task or recording that waits for one, are findings 10 seconds after they
    began, by the server's clock. With O(sampling_interval), what does not run is also read again before it is a
    finding.
  - O(play) adds no request to a server that has received media, except one for each stream that does not play, and one
    for each application with a live stream that is otherwise not read. Playbacks are in the statistics of the server.
  - After a request without a response, the module sends no more requests to the server. O(timeout) also limits the
    duration of each TLS handshake, and an unreachable port is tried only once.
seealso:
  - module: streamops.ovenmediaengine.vhosts
  - module: streamops.ovenmediaengine.applications
  - module: streamops.ovenmediaengine.push_tasks
  - module: streamops.ovenmediaengine.certificate_info
"""

EXAMPLES = r"""
- name: Compare a server with its desired state
  streamops.ovenmediaengine.audit_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhosts:
      - name: tenant-a
        host: [live.tenant-a.example.com]
        applications:
          - name: live
            providers: [rtmp]
            publishers: [llhls, push]
    push_tasks:
      - vhost: tenant-a
        app: live
        id: platform
        stream: main
        protocol: rtmp
        url: rtmp://live.platform.example.com/app
        stream_key: "{{ platform_stream_key }}"
    sampling_interval: 5

- name: Find recordings that do not record, pulls that are gone and channels that do not play
  streamops.ovenmediaengine.audit_info:
    read_only_vhosts: [default]
    records:
      - vhost: default
        app: media
        id: archive
        stream: main
        file_path: /${Stream}_${StartTime:YYYYMMDDhhmmss}.ts
    streams:
      - vhost: default
        app: media
        name: camera
        urls: [rtsp://camera.example.com/live]
    scheduled_channels:
      - vhost: default
        app: media
        name: tv1
    multiplex_channels:
      - vhost: default
        app: media
        name: mux1
    sampling_interval: 5

- name: Play what is live, before DNS leads to the server
  streamops.ovenmediaengine.audit_info:
    read_only_vhosts: [default]
    play: true
    viewers:
      connect_to: 203.0.113.7
      protocols: [llhls, webrtc]

- name: Find certificates that expire within three weeks or differ from the expected ones
  streamops.ovenmediaengine.audit_info:
    vhosts:
      - name: tenant-a
        host: [live.tenant-a.example.com]
    read_only_vhosts: [default]
    certificates:
      - vhost: tenant-a
        fingerprint: 6a0ac58f27a5f4bd2b2a8e5f6e9c04c5b9a2c27f2f1d7f9c1a9f43a0c2a1c5d7
        endpoint:
          - host: media-1.example.com
            port: 443
    certificate_days: 21

- name: Find what differs until a restart, and what a restart would lose
  streamops.ovenmediaengine.audit_info:
    durable: true
    config_dir: /etc/ovenmediaengine
    vhosts:
      - name: tenant-a
        host: [live.tenant-a.example.com]
  register: audit

- name: Show where the server differs from the lists
  ansible.builtin.debug:
    msg: "{{ audit.findings | selectattr('severity', 'in', ['error', 'drift']) | map(attribute='message') }}"
"""

RETURN = r"""
started_at:
  description: Time on the controller at which the task began, in UTC. The action plugin adds it.
  returned: always
  type: str
  sample: "2026-01-31T03:00:00Z"
reachable:
  description: Whether the server responded. If not, the audit only checks certificates.
  returned: success
  type: bool
  sample: true
version:
  description:
    - Version of the server; V(null) if the server is unreachable or older than 0.16.5, because older servers do not
      report it.
  returned: success
  type: str
  sample: 0.21.0
counts:
  description:
    - Number of findings of each severity. V(error) is what does not work or could not be checked, V(drift) where the
      server differs from the lists, V(warning) what will fail soon or cannot work as intended, and V(info) additional
      information.
  returned: success
  type: dict
  sample: {error: 0, drift: 2, warning: 1, info: 3}
only_vhosts:
  description: The value of the option, which is what all else is about.
  returned: success
  type: list
  elements: str
  version_added: 3.0.0
restart_required:
  description: Whether there is a finding V(restart_due), so that something is only as listed after a restart.
  returned: if O(durable=true)
  type: bool
  version_added: 2.0.0
findings:
  description: The findings, sorted by severity, place and kind. The order is the same in every run.
  returned: success
  type: list
  elements: dict
  contains:
    severity:
      description: Severity of the finding.
      type: str
      choices: [error, drift, warning, info]
    kind:
      description:
        - V(missing), V(differs), V(not_listed), V(unmanaged) and V(unaddressable) refer to objects, V(push_error),
          V(push_stalled) and V(push_waiting) to push tasks, V(record_error) and V(record_stalled) to recordings,
          V(push_doubled) and V(record_doubled) to those that run twice, V(input_without_output) to live streams, and
          V(channel_not_playing) to channels.
        - V(unreachable) and V(ambiguous_host_name) refer to host names that another virtual host receives, always or if
          it was created first, and V(no_host_name) to a virtual host without any.
        - V(handshake_failed), V(certificate_differs), V(certificate_name), V(certificate_expired),
          V(certificate_not_yet_valid), V(certificate_expiring) and V(chain_not_verified) refer to certificates.
        - V(restart_due) and V(not_durable) refer to the files from which the server starts.
        - V(concern) refers to entries that cannot work as intended, V(bad_input) to entries that cannot work at all,
          and V(version_trap) to known defects of the server's version.
        - All other kinds are kinds of errors that prevented a comparison. The guide on errors lists them.
      type: str
      sample: differs
    message:
      description: Description of the finding.
      type: str
    vhost:
      description: Name of the virtual host. Like the next seven values, it is empty if it does not apply.
      type: str
      sample: tenant-a
    application:
      description: Name of the application.
      type: str
    push_task:
      description: ID of the push task.
      type: str
    record:
      description: ID of the recording.
      type: str
      version_added: 2.0.0
    stream:
      description: Name of the pulled stream, or of the live stream without output.
      type: str
      version_added: 2.0.0
    channel:
      description: Name of the scheduled or multiplex channel.
      type: str
      version_added: 2.0.0
    endpoint:
      description: TLS port, with the requested host name.
      type: str
    field:
      description: Option that differs or is invalid.
      type: str
      sample: host.names
    found:
      description: Current value; V(null) if it does not apply. Secrets are masked.
      type: raw
      sample: [old.tenant-a.example.com]
    wanted:
      description: Desired value; V(null) if it does not apply. Secrets are masked.
      type: raw
      sample: [live.tenant-a.example.com]
    vhosts:
      description:
        - All virtual hosts that the cause of the finding affects, if these are several. RV(findings[].vhost) is the
          first.
      type: list
      elements: str
      version_added: 3.0.0
      sample: [tenant-a, tenant-b]
vhosts:
  description: All audited virtual hosts of the server and of the lists, by name; empty if the server is unreachable.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the virtual host.
      type: str
      sample: tenant-a
    listed:
      description: Whether O(vhosts) contains it.
      type: bool
    present:
      description: Whether it exists on the server.
      type: bool
    read_only:
      description: Whether it is known to come from the server's configuration file.
      type: bool
    live_streams:
      description: Number of live inputs; V(null) if not read, as with O(statistics=server) if nothing has come in.
      type: int
    status:
      description: Worst finding about it, its contents and certificates.
      type: str
      choices: [ok, info, warning, drift, error, missing, not_listed]
push_tasks:
  description: All push tasks of the server, sorted by virtual host, application and ID.
  returned: success
  type: list
  elements: dict
  contains:
    # BEGIN GENERATED push_task_key, samples: {id: platform}
    vhost:
      description: Name of the virtual host.
      type: str
    app:
      description: Name of the application.
      type: str
    id:
      description: ID of the push task.
      type: str
      sample: platform
    # END GENERATED
    protocol:
      description: Protocol of the task.
      type: str
    url:
      description: Destination, with secrets masked.
      type: str
      sample: rtmp://live.platform.example.com/app
    state:
      description:
        - V(ready) means that the task waits for its stream. V(pushing) covers the different names that server versions
          use for it.
      type: str
    bits_per_second:
      description:
        - Bit rate between the two samples; V(null) without a second sample, if the task does not push, and if it
          reconnected in between.
      type: int
      sample: 4000000
    listed:
      description: Whether O(push_tasks) contains it.
      type: bool
    is_config:
      description: Whether the task comes from the server's configuration.
      type: bool
records:
  description:
    - All recordings in the applications of O(records), sorted by virtual host, application and ID. They have the keys
      of RV(push_tasks), with C(stream) and C(file_path) in place of C(protocol) and C(url). C(state) is V(ready) or
      V(stopped) if the recording waits for its stream.
  returned: success
  type: list
  elements: dict
  version_added: 2.0.0
streams:
  description:
    - The pulled streams of O(streams), sorted, as C(vhost), C(app) and C(name), with C(live), and with C(source_type)
      and C(source_url) as the server reports them. Both are empty if the stream is not live. Secrets are masked.
  returned: success
  type: list
  elements: dict
  version_added: 2.0.0
channels:
  description:
    - The channels of O(scheduled_channels) and O(multiplex_channels), and the unlisted ones in the same applications,
      sorted by virtual host, application and name.
  returned: success
  type: list
  elements: dict
  version_added: 2.0.0
  contains:
    vhost:
      description: Name of the virtual host.
      type: str
    app:
      description: Name of the application.
      type: str
    name:
      description: Name of the channel.
      type: str
    type:
      description: Kind of the channel.
      type: str
      choices: [scheduled, multiplex]
    state:
      description:
        - V(onair) or V(offair) for a scheduled channel, V(playing) or what it waits for, such as V(pulling), for a
          multiplex channel; V(null) if it was not read.
      type: str
    listed:
      description: Whether a list contains it.
      type: bool
playbacks:
  description:
    - What was played, with keys of RV(streamops.ovenmediaengine.verify#module:rows). These are C(vhost), C(app),
      C(stream), C(host_name), C(protocol_out), C(signed), C(verdict), C(stage), C(seconds_to_first_frame), C(latency)
      and C(msg).
  returned: success
  type: list
  elements: dict
expected_streams:
  description: As RV(streamops.ovenmediaengine.expected_streams_info#module:expected_streams).
  returned: success
  type: list
  elements: dict
statistics:
  description:
    - Who watches, and how much comes in and goes out, as C(vhost), C(app) and C(stream) with C(connections) by
      protocol, C(bits_per_second_in), C(bits_per_second_out), C(bytes_in) and C(bytes_out). The first is the whole
      server, with empty names and its C(uptime) in seconds. Empty if the server has no statistics.
  returned: success
  type: list
  elements: dict
certificates:
  description: The certificates that the endpoints of O(certificates) serve, by virtual host and endpoint.
  returned: success
  type: list
  elements: dict
  contains:
    vhost:
      description: Name of the virtual host; empty if none is specified.
      type: str
      sample: tenant-a
    endpoint:
      description: TLS port, with the requested host name.
      type: str
      sample: "media-1.example.com:443 (live.tenant-a.example.com)"
    certificate:
      description:
        - The certificate that was served, with the keys of
          RV(streamops.ovenmediaengine.certificate_info#module:certificates); V(null) if the handshake failed.
      type: dict
    agrees:
      description: Whether it is the expected certificate; V(null) if none is specified.
      type: bool
    error:
      description: Why the handshake failed; empty if it succeeded.
      type: str
# BEGIN GENERATED error
error:
  description:
    - What failed, why, and what to do, with the keys of RV(streamops.ovenmediaengine.vhost#module:error). These are
      C(kind), C(attempted), C(meaning), C(remedy), C(method), C(path), C(host), C(status) and C(server_message).
  returned: on failure
  type: dict
# END GENERATED
# BEGIN GENERATED retries
retries:
  description: Requests that were retried, or that got no response and were not retried, each with the reason.
  returned: when there were any
  type: list
  elements: str
# END GENERATED
"""

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.audit import AuditInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(AuditInfo)


if __name__ == "__main__":
    main()
