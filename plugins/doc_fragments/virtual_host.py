# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documentation of the fields of a virtual host, for the module for one and the module for many."""

from __future__ import annotations

from textwrap import indent

from ansible_collections.streamops.ovenmediaengine.plugins.doc_fragments.application import nested

_FIELDS = r"""
name:
  description:
    - Name of the virtual host. Letters, digits, V(.), V(_) and V(-) only, as the server cannot address any other.
  type: str
  required: true
host:
  description:
    - How viewers and publishers reach the virtual host.
  type: dict
  suboptions:
    names:
      description:
        - Domain names and IP addresses; V(*) matches every name. The order means nothing.
        - The case of letters matters, as it does to the server, for streams and certificates alike. Browsers ask in lower case, so a name with capital letters
          is reported by a warning.
        - Required where O(state=present).
      type: list
      elements: str
    tls:
      description:
        - Files of the virtual host's certificate, on the media server. O(%(here)shost.tls.cert_path) and O(%(here)shost.tls.key_path) belong together.
        - The server does not say when it cannot use them.
      type: dict
      suboptions:
        cert_path:
          description: Absolute path of the certificate in PEM form.
          type: str
        chain_cert_path:
          description: Absolute path of the intermediate certificates in PEM form.
          type: str
        key_path:
          description: Absolute path of the private key in PEM form.
          type: str
distribution:
  description:
    - Name of the distribution that the virtual host belongs to, passed on in notifications. Not giving it on the server is the same as V(ovenmediaengine.com).
  type: str
signed_policy:
  description:
    - Signed URLs, by which only those can publish or play whose URL carries a valid signature.
  type: dict
  suboptions:
    policy_query_key_name:
      description: Name of the query parameter that holds the policy.
      type: str
    signature_query_key_name:
      description: Name of the query parameter that holds the signature.
      type: str
    secret_key:
      description: Secret that signatures are made with.
      type: str
    enables:
      description: Where signed policies are asked for.
      type: dict
      suboptions:
        providers:
          description: Names of providers, such as V(rtmp), V(webrtc) or V(srt). Neither order nor case matters.
          type: list
          elements: str
        publishers:
          description: Names of publishers, such as V(webrtc) or V(llhls). Neither order nor case matters.
          type: list
          elements: str
admission_webhooks:
  description:
    - An HTTP server that is asked whether somebody may publish or play.
  type: dict
  suboptions:
    control_server_url:
      description: URL of the control server.
      type: str
    secret_key:
      description: Secret that the requests to the control server are signed with. Can be empty.
      type: str
    timeout:
      description: Milliseconds to wait for the control server. Not giving it on the server is the same as V(3000).
      type: int
    enables:
      description: Where the control server is asked.
      type: dict
      suboptions:
        providers:
          description: Names of providers, such as V(rtmp), V(webrtc) or V(srt). Neither order nor case matters.
          type: list
          elements: str
        publishers:
          description: Names of publishers, such as V(webrtc) or V(llhls). Neither order nor case matters.
          type: list
          elements: str
origins:
  description:
    - Where streams are pulled from that are not there.
  type: dict
  suboptions:
    origin:
      description: Origins by location. The order matters.
      type: list
      elements: dict
      suboptions:
        location:
          description: Application, or application and stream, that the origin is for, such as V(/app/stream).
          type: str
          required: true
        pass:
          description: Where the stream comes from.
          type: dict
          required: true
          suboptions:
            scheme:
              description: Protocol to pull with, such as V(ovt) or V(rtsp).
              type: str
              required: true
            urls:
              description: The sources.
              type: dict
              required: true
              suboptions:
                url:
                  description: Sources as C(host:port/path), tried in this order.
                  type: list
                  elements: str
                  required: true
            forward_query_params:
              description: Whether the query string of the viewer's URL is passed on. Not giving it on the server is the same as V(true).
              type: bool
        persistent:
          description: Whether the stream is kept although nobody watches. Not giving it on the server is the same as V(false).
          type: bool
        failback:
          description: Whether to go back to the first source when it is there again. Not giving it on the server is the same as V(false).
          type: bool
        strict_location:
          description: Whether the location must match as a whole. Not giving it on the server is the same as V(false).
          type: bool
        relay:
          description: Whether the stream may be pulled on by other servers. Not giving it on the server is the same as V(false).
          type: bool
        ignore_rtcp_sr_timestamp:
          description:
            - Whether the timestamps in sender reports of an RTSP source are ignored. Not giving it on the server is the same as V(false).
            - Servers from 0.16.5 on.
          type: bool
          version_added: 1.1.0
    properties:
      description: Timings of pulling.
      type: dict
      suboptions:
        no_input_failover_timeout:
          description: Milliseconds without input until the next source is tried. Not giving it on the server is the same as V(3000).
          type: int
        unused_stream_deletion_timeout:
          description: Milliseconds without viewers until a pulled stream is dropped. Not giving it on the server is the same as V(60000).
          type: int
        stream_failback_timeout:
          description: Milliseconds until the first source is tried again. Not giving it on the server is the same as V(3000).
          type: int
        retry_count:
          description:
            - How often the sources are tried again before the pull fails. Servers from 0.19.0 on.
            - Not giving it on the server is the same as V(1) before 0.20.5, and as V(0) from then on.
          type: int
          version_added: 1.1.0
cross_domains:
  description: From which web sites browsers may use what the virtual host serves. Servers from 0.15.12 on.
  type: dict
  version_added: 1.1.0
  suboptions:
    urls:
      description: Origins, such as V(https://player.example.com); V(*) stands for anything. The order means nothing.
      type: list
      elements: str
    headers:
      description: Headers that the server adds to its answers. The order counts. Servers from 0.17.2 on.
      type: list
      elements: dict
      suboptions:
        key:
          description: Name of the header.
          type: str
          required: true
        value:
          description: Value of the header.
          type: str
          required: true
origin_map_store:
  description:
    - A Redis server in which origins say what streams they have, so that edges find them.
  type: dict
  suboptions:
    origin_host_name:
      description: Name under which edges reach this server as an origin.
      type: str
    redis_server:
      description: The Redis server.
      type: dict
      suboptions:
        host:
          description: Address as C(host:port).
          type: str
        auth:
          description: Password of the Redis server.
          type: str
"""


def _fields(here: str, *, audited: bool = False) -> str:
    text = (
        _FIELDS.replace("        - Required where O(state=present).\n", "        - They are required.\n")
        if audited
        else _FIELDS
    )
    return text % {"here": here} + nested(here, audited=audited)


class ModuleDocFragment:
    """Fields of a virtual host, as options and as entries of a list."""

    # Annotated, as yamllint of ansible-test takes a plain assignment for text that it can read by itself.
    DOCUMENTATION: str = "options:\n" + indent(_fields(""), "  ")

    ENTRIES: str = (
        "options:\n"
        "  vhosts:\n"
        "    description:\n"
        "      - The virtual hosts. What M(streamops.ovenmediaengine.vhost_info) returns can be given as it is.\n"
        "      - A field that is left out of an entry is left alone on the server.\n"
        "    type: list\n"
        "    elements: dict\n"
        "    required: true\n"
        "    suboptions:\n"
    ) + indent(_fields("vhosts[]."), "      ")

    # Of the audit, which compares and does nothing, and takes no list for none.
    AUDITED: str = (
        "options:\n"
        "  vhosts:\n"
        "    description:\n"
        "      - The virtual hosts that should be there, with their applications, as M(streamops.ovenmediaengine.vhosts) takes them.\n"
        "      - A field that is left out of an entry is not compared.\n"
        "    type: list\n"
        "    elements: dict\n"
        "    suboptions:\n"
    ) + indent(_fields("vhosts[].", audited=True), "      ")
