# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the fields of a virtual host, for the modules that manage one or many."""

from __future__ import annotations

from textwrap import indent

from ansible_collections.streamops.ovenmediaengine.plugins.doc_fragments.application import expanded

_FIELDS = r"""
name:
  description:
    - Name of the virtual host. Only letters, digits, V(.), V(_) and V(-) are allowed, because the server cannot address
      other names.
  type: str
  required: true
host:
  description:
    - How publishers and viewers reach the virtual host. A list, or a text with commas, is taken as C(names) in it.
  type: dict
  suboptions:
    names:
      description:
        - Host names and IP addresses; V(*) matches every name. The order does not matter.
        - Names are case-sensitive, as on the server, for streams and certificates alike. Browsers send lower case, so
          the task warns about a name with capital letters. A name has no port; the task warns about one that has.
        - Required if O(state=present).
      type: list
      elements: str
    tls:
      description:
        - Certificate files of the virtual host, on the media server. O(%(here)shost.tls.cert_path) and
          O(%(here)shost.tls.key_path) require each other.
        - The server reports no error if it cannot use them.
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
    - Name of the distribution that the virtual host belongs to, included in notifications. The server's default is
      V(ovenmediaengine.com).
  type: str
signed_policy:
  description:
    - Signed URLs. Only clients whose URL has a valid signature can publish or play.
    - Without O(%(here)ssigned_policy.enables) it protects nothing, and the task warns.
    - The server does not protect HLS. Only the publisher C(llhls) asks viewers for a signature, and the task warns if
      C(hls) is listed.
  type: dict
  suboptions:
    policy_query_key_name:
      description: Name of the query parameter with the policy.
      type: str
    signature_query_key_name:
      description: Name of the query parameter with the signature.
      type: str
    secret_key:
      description: Secret key for the signatures.
      type: str
    enables:
      description: Providers and publishers that require a signed policy.
      type: dict
      suboptions:
        <enables>
admission_webhooks:
  description:
    - An HTTP server that decides whether a client may publish or play.
    - Without O(%(here)sadmission_webhooks.enables) the server asks for nothing, and the task warns. It never asks for
      viewers by HLS.
  type: dict
  suboptions:
    control_server_url:
      description: URL of the control server.
      type: str
    secret_key:
      description: Secret key that signs the requests to the control server. It can be empty.
      type: str
    timeout:
      description: Milliseconds to wait for the control server. The server's default is V(3000).
      type: int
    enables:
      description: Providers and publishers for which the server asks the control server.
      type: dict
      suboptions:
        <enables>
origins:
  description:
    - Where the server pulls streams from that it does not have. A list is taken as C(origin) in it.
  type: dict
  suboptions:
    origin:
      description: Origins by location. The order matters.
      type: list
      elements: dict
      suboptions:
        location:
          description: Application, or application and stream, that the origin applies to, such as V(/app/stream).
          type: str
          required: true
        pass:
          description: Sources of the stream.
          type: dict
          required: true
          suboptions:
            scheme:
              description: Protocol for pulling, such as V(ovt) or V(rtsp).
              type: str
              required: true
            urls:
              description: URLs of the sources.
              type: dict
              required: true
              suboptions:
                url:
                  description: Sources as C(host:port/path), tried in this order.
                  type: list
                  elements: str
                  required: true
            forward_query_params:
              description: Whether to forward the query string of the viewer's URL. The server's default is V(true).
              type: bool
        persistent:
          description: Whether to keep the stream without viewers. The server's default is V(false).
          type: bool
        failback:
          description:
            - Whether to return to the first source when it is available again. The server's default is V(false).
          type: bool
        strict_location:
          description: Whether the whole location must match. The server's default is V(false).
          type: bool
        relay:
          description: Whether other servers may pull the stream from this one. The server's default is V(false).
          type: bool
        ignore_rtcp_sr_timestamp:
          description:
            - Whether to ignore the timestamps in sender reports of an RTSP source. The server's default is V(false).
            - Servers from 0.16.5 on.
          type: bool
          version_added: 2.0.0
    properties:
      description: Timeouts and retries for pulling.
      type: dict
      suboptions:
        no_input_failover_timeout:
          description:
            - Milliseconds without input until the server tries the next source. The server's default is V(3000).
          type: int
        unused_stream_deletion_timeout:
          description:
            - Milliseconds without viewers until the server drops a pulled stream. The server's default is V(60000).
          type: int
        stream_failback_timeout:
          description: Milliseconds until the server tries the first source again. The server's default is V(3000).
          type: int
        retry_count:
          description:
            - Number of retries of the sources before the pull fails. Servers from 0.19.0 on.
            - The server's default is V(1) before 0.20.5 and V(0) from then on.
          type: int
          version_added: 2.0.0
cross_domains:
  description: Web sites whose pages may use what the virtual host serves (CORS). Servers from 0.15.12 on.
  type: dict
  version_added: 2.0.0
  suboptions:
    <allowed_origins>
origin_map_store:
  description:
    - A Redis server in which origins register their streams, so that edges find them.
  type: dict
  suboptions:
    origin_host_name:
      description: Host name that edges use to reach this server as an origin.
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
applications:
  description:
    - Applications in the virtual host. Each entry has the options of M(streamops.ovenmediaengine.application) that
      describe the application, except C(vhost).
    - "For example C({name: live, providers: [rtmp], publishers: [llhls]})."
    - Existing applications that are not listed stay unchanged.
    - Ignored if O(state=absent), because the applications are deleted with the virtual host.
  type: list
  elements: dict
  version_added: 0.2.0
"""


def _fields(here: str) -> str:
    """Return the fields; ``here`` is the path of their options."""
    return expanded(_FIELDS % {"here": here})


class ModuleDocFragment:
    """Fields of a virtual host, as options and as entries of a list; options for changes."""

    # Annotated, because yamllint of ansible-test parses plain assignments as YAML.
    DOCUMENTATION: str = "options:\n" + indent(_fields(""), "  ")

    ENTRIES: str = (
        "options:\n"
        "  vhosts:\n"
        "    description:\n"
        "      - The virtual hosts. RV(streamops.ovenmediaengine.vhost_info#module:vhosts) is valid input.\n"
        "      - Fields omitted from an entry stay unchanged on the server.\n"
        "    type: list\n"
        "    elements: dict\n"
        "    required: true\n"
        "    suboptions:\n"
    ) + indent(_fields("vhosts[]."), "      ")

    CHANGE = r"""
options:
  recreate:
    description:
      - Whether to delete and recreate a virtual host that differs. This disconnects its viewers and live streams.
      - The server cannot change a virtual host in any other way. Without this option the task fails and reports the
        differences and what a recreate would drop.
      - Its applications and push tasks are stopped and deleted first, and recreated unchanged afterwards. If the server
        rejects the new virtual host, the old one is restored with them.
      - The same applies to a listed application that differs. Only the application is recreated then, not its virtual
        host.
    type: bool
    default: false
  require_reachable:
    description:
      - Whether to fail, before anything is created, if publishers or viewers would not reach a new virtual host through
        all of its host names, or if this cannot be determined. By default the task only warns, and lists the names in
        RV(unreachable_host_names).
      - The server checks the virtual hosts of its configuration file first, then the others in the order of creation,
        and uses the first one with a matching host name. The virtual host C(default) of the sample configuration has
        the host name V(*), so it receives all requests.
    type: bool
    default: false
    version_added: 2.0.0
"""
