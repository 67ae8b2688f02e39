# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Error kinds with their meaning and remedy, and the exceptions that carry them."""

from __future__ import annotations

import copy
import typing as t

from .texts import named, with_names

# The error kinds, with their meaning and remedy.


class Advice:
    """The meaning of an error kind, and what the user can do about it."""

    def __init__(self, meaning: str, remedy: str) -> None:
        """In the texts, ``$name`` stands for an option."""
        self._meaning, self._remedy = meaning, remedy

    @property
    def meaning(self) -> str:
        """Return what the error means."""
        return with_names(self._meaning)

    @property
    def remedy(self) -> str:
        """Return what to do."""
        return with_names(self._remedy)


# The keys are the values of `error.kind` in results. `make format` writes this table into
# docs/docsite/rst/guide_errors.rst.
ADVICE: dict[str, Advice] = {
    "unauthorized": Advice(
        "The server does not accept the access token.",
        "Set $api_token (or OVENMEDIAENGINE_API_TOKEN) to the AccessToken of Managers/API in the server's Server.xml.",
    ),
    "read_only": Advice(
        "The virtual host comes from the server's configuration file and cannot be changed through the API.",
        "Change it in the server's configuration file and restart the server, or remove it from the list. "
        "If it has a file of its own, $durable with $config_dir changes the file. "
        "You can still manage its push tasks and certificates.",
    ),
    "vhost_not_found": Advice(
        "The server has no virtual host with this name.",
        "Check the name, or create the virtual host first. A server restart removes every virtual host that was "
        "created through the API.",
    ),
    "application_not_found": Advice(
        "The virtual host has no application with this name.",
        "Check the name, or create the application first. A virtual host that was created through the API has no "
        "applications until you create them.",
    ),
    "push_publisher_missing": Advice(
        "The application has no push publisher.",
        "Add the push publisher to this application: publishers: {push: {}} in the options of this collection, or "
        "<Push /> (<RTMPPush /> before 0.16.6) under Publishers in Server.xml. This needs recreate, or a restart.",
    ),
    "file_publisher_missing": Advice(
        "The application has no file publisher.",
        "Add the file publisher to this application: publishers: {file: {}} among its options in this collection, or "
        "<FILE /> under Publishers in Server.xml. In an application that exists this needs a recreate or a restart.",
    ),
    "provider_missing": Advice(
        "The application does not have the provider that this object needs.",
        "Add the provider to the application, with providers of the module application or under Providers in "
        "Server.xml: <Schedule> with MediaRootDir and ScheduleFilesDir for scheduled channels, <Multiplex> with "
        "MuxFilesDir for multiplex channels, <RTSPPull> or <OVT> for pulls.",
    ),
    "stream_not_found": Advice(
        "The application has no stream with this name.",
        "Check the name, and that the source of the stream is live.",
    ),
    "name_taken": Advice(
        "Another stream of the application has this name, for example one that an encoder sends.",
        "Choose another name, or end the other stream.",
    ),
    "task_not_found": Advice(
        "The application has no push task with this ID.",
        "List the push tasks with push_task_info. A stopped push task is no longer listed.",
    ),
    "record_not_found": Advice(
        "The application has no recording with this ID.",
        "List the recordings with record_info. A stopped recording is no longer listed.",
    ),
    "controller_not_found": Advice(
        "The server has no such call.",
        "Check that $api_url is the base address without /v1, and that the server's version supports the call.",
    ),
    "duplicate_id": Advice(
        "Another push task with this ID is running in the application, or is still stopping.",
        "Run the task again. If it fails again, check whether another controller manages the same server.",
    ),
    "duplicate_record": Advice(
        "Another recording with this ID is running in the application, or is still stopping.",
        "Run the task again. If it fails again, check whether another controller manages the same server.",
    ),
    "conflict": Advice(
        "An object with this name already exists.",
        "Another client created it at the same time, with other settings. Run the task again.",
    ),
    "bad_request": Advice(
        "The server rejected the request.",
        "Read the server's message. An older server rejects options that only newer versions support.",
    ),
    "server_error": Advice(
        "The server failed to process the request.",
        "Read the server's log.",
    ),
    "reload_failed": Advice(
        "The server could not load the certificate. The previous certificate stays in use.",
        "Check that the files exist, that the server can read them, and that the key matches the certificate. "
        "A virtual host without TLS causes the same error on servers before 0.17.",
    ),
    "certificate_file": Advice(
        "The certificate file cannot be used.",
        "Correct the file or its path. The module reads the file on the host where it runs.",
    ),
    "certificate_not_served": Advice(
        "The server was asked to reload its certificate files, but still serves another certificate.",
        "Read the server's log. If a file is missing, broken or unreadable, "
        "or if the key belongs to another certificate, the server keeps the old certificate and still reports success.",
    ),
    "shadowed": Advice(
        "The server presents the certificate of another virtual host for this host name.",
        "Remove the matching host name from the other virtual host, "
        "or create this virtual host with a name that sorts before it. Alternatively, "
        "give the other virtual host a certificate that also covers this host name.",
    ),
    "handshake_failed": Advice(
        "No TLS handshake with the endpoint succeeded.",
        "Check host, port and firewall, and that the virtual host has TLS. "
        "If the server could not read the certificate files, it serves no certificate.",
    ),
    "certificate_expiring": Advice(
        "A served certificate expires too soon.",
        "Renew the certificate and reload it.",
    ),
    "chain_not_verified": Advice(
        "Clients cannot verify the served certificate.",
        "Check that chain_cert_path contains the intermediate certificates, "
        "that the certificate covers the host name, and which CA certificates are trusted.",
    ),
    "rate_limited": Advice(
        "A gateway in front of the server limits the rate of requests.",
        "Raise the gateway's limit, or raise $retries.",
    ),
    "gateway": Advice(
        "A proxy or gateway could not reach the server, and answered instead of it.",
        "Check that the server runs and that the proxy forwards to its API port.",
    ),
    "not_json": Advice(
        "The response did not come from the OvenMediaEngine API: it is not JSON.",
        "Check the port and the path of $api_url, and that there is no proxy or login page in between.",
    ),
    "redirect": Advice(
        "The response is a redirect. The module does not follow redirects, "
        "because they would send the access token to another address.",
        "Set $api_url to the final address, for example https instead of http. If it is a login page, use an address "
        "that leads to the API itself.",
    ),
    "too_large": Advice(
        "The response is larger than any valid response of the API. The module stopped reading it.",
        "Check that $api_url is the address of the OvenMediaEngine API. "
        "The API cannot manage a list of this many objects, or objects of this size.",
    ),
    "unexpected_answer": Advice(
        "The response is JSON, but does not have the structure of an API response.",
        "Check that $api_url is the address of the OvenMediaEngine API, "
        "and that this collection supports the server's version.",
    ),
    "tls": Advice(
        "The server's TLS certificate cannot be verified, or the TLS handshake failed.",
        "Set $ca_path to the CA that signed the certificate, and use a host name in $api_url that the certificate "
        "covers. Renew it if it has expired. If the server asks for a client certificate, set $client_cert.",
    ),
    "wrong_scheme": Advice(
        "The port does not use the protocol that $api_url specifies.",
        "Change the scheme (http or https) or the port of $api_url. "
        "The ports are <Port> and <TLSPort> of <API> in the server's Server.xml.",
    ),
    "refused": Advice(
        "Nothing listens at this address.",
        "Check that the server runs, that <API> is enabled under Managers and Bind in its Server.xml, "
        "and that host and port of $api_url are correct.",
    ),
    "proxy": Advice(
        "The proxy that an environment variable sets did not pass the request on.",
        "Correct or unset the variable where the module runs, or add the host of $api_url to no_proxy there.",
    ),
    "unresolved": Advice(
        "The host name of $api_url cannot be resolved.",
        "Check the host name, or use an IP address.",
    ),
    "timeout": Advice(
        "The server did not answer in time.",
        "Check host, port and firewall, and that the server is not blocked or overloaded. If it is only slow, "
        "raise $timeout.",
    ),
    "connection_lost": Advice(
        "The connection broke before the response was complete.",
        "The server may have restarted. Run the task again: it reads the current state before it changes anything.",
    ),
    "lost": Advice(
        "Objects that this task created or read have changed or disappeared since the connection dropped.",
        "A server restart removes everything that was created through the API: run the whole playbook again. "
        "If nobody restarted the server, check its log for a crash.",
    ),
    "wait_timeout": Advice(
        "The server accepted the request, but did not reach the desired state within $wait_timeout.",
        "Correct the cause, which the log of the server can name, or raise $wait_timeout.",
    ),
    "differs": Advice(
        "The object differs from its definition. The server can change it only by deleting and recreating it.",
        "Set $recreate to true to recreate it. This cuts off its viewers and publishers.",
    ),
    "unsupported_option": Advice(
        "The server's version does not support an option.",
        "Upgrade the server, or omit the option.",
    ),
    "file_macro": Advice(
        "A number or a boolean is a macro of configuration files, such as ${env:NAME}, which only the server's files "
        "can hold; the API takes the value itself.",
        "Set the value itself. Or write the files with server_config or the role server, and restart the server.",
    ),
    "unreachable": Advice(
        "Publishers and viewers that use host names of this virtual host reach another virtual host.",
        "Remove the matching host name from the other virtual host, "
        "usually <Name>*</Name> of default in the server's Server.xml, restart the server and run the playbook again. "
        "To accept it, set $require_reachable to false.",
    ),
    "configured_task": Advice(
        "The push task comes from the server's own configuration (stream map), which the API cannot change.",
        "Change the server's stream map: set $durable and $config_dir where the task can write it. Or choose "
        "another ID.",
    ),
    "configured_record": Advice(
        "The recording comes from the server's own configuration (record map), which the API cannot change.",
        "Change the server's record map: set $durable and $config_dir where the task can write it. Or choose "
        "another ID.",
    ),
    "origin_unreachable": Advice(
        "The server could not pull the stream from any of the URLs.",
        "Check that the server can reach the origin, the path and the credentials in urls, and that the origin sends. "
        "If it starts later, raise $wait_timeout.",
    ),
    "not_pulled": Advice(
        "The stream with this name is not pulled: another source sends it.",
        "Choose another name, or end the source. To end the stream anyway, set force to true; "
        "its source may reconnect.",
    ),
    "unsupported_call": Advice(
        "The server's version does not support this operation.",
        "Upgrade the server, or do without the operation.",
    ),
    "unsafe_version": Advice(
        "This operation can end the process of a server of this version, with all streams.",
        "Upgrade the server. To run it anyway, set force to true.",
    ),
    "output_stream_not_found": Advice(
        "The stream has no output stream with this name.",
        "Read the names of its output streams with stream_info. The output profiles of the application define them.",
    ),
    "llhls_publisher_missing": Advice(
        "The application has no LL-HLS publisher.",
        "Enable the publisher in this application: llhls under publishers of the module application, or <LLHLS /> "
        "under Publishers in Server.xml.",
    ),
    "dump_differs": Advice(
        "A dump with this ID runs with other settings.",
        "Omit what may stay as it is, or stop this dump and start one with another ID.",
    ),
    "dump_id_used": Advice(
        "A dump with this ID was stopped, and cannot be started again.",
        "Choose another ID. A stopped dump stays listed with its ID until its stream ends.",
    ),
    "stt_not_configured": Advice(
        "The stream has no speech-to-text.",
        "Configure speech-to-text in media_options of the application's output profiles. It starts with the stream.",
    ),
    "play_name_resolution": Advice(
        "A viewer cannot resolve the host name of the URL.",
        "Create the name in DNS. To play before that, set $connect_to to the address of the server.",
    ),
    "play_connection": Advice(
        "A viewer gets no connection, or it broke.",
        "Check that the server runs, the port of the publisher under <Bind> in its Server.xml, and the firewall.",
    ),
    "play_tls": Advice(
        "A viewer gets no TLS connection that can be trusted.",
        "Check certificate and host names of the virtual host with certificate_info, and that the port is a TLS port. "
        "For an authority of your own, set $chain_ca_path.",
    ),
    "play_denied": Advice(
        "The server refuses the viewer.",
        "If the virtual host has a signed_policy or an admission webhook, play a URL that it admits: sign it for this "
        "scheme, host name and port.",
    ),
    "play_not_found": Advice(
        "The server has nothing to play at this URL.",
        "Check that the stream is live, that the host name reaches the virtual host and no other one, that the "
        "application has the publisher, and that an output profile makes an output of this name. <Bind> in the "
        "server's Server.xml must have a port of the publisher: the sample configuration has none of HLS and of "
        "thumbnails.",
    ),
    "play_status": Advice(
        "The server answered a viewer with an error.",
        "Read the server's log, and that of a proxy or CDN in front of it.",
    ),
    "play_timeout": Advice(
        "A viewer did not get an answer, or the media, in time.",
        "Check the load of server and network. If they are only slow, raise $play_timeout.",
    ),
    "play_playlist": Advice(
        "The playlist lists nothing that can be played.",
        "Check that the publisher sends video or audio with a codec that the protocol takes, and the output profiles "
        "and playlists of the application.",
    ),
    "play_cors": Advice(
        "A web page of this origin may not read the responses.",
        "Add the origin to cross_domains of the publisher in the application, exactly as browsers send it.",
    ),
    "play_media": Advice(
        "The media that are announced do not arrive.",
        "Check that the publisher still sends, and read the server's log. A proxy or CDN may have cached an old "
        "response.",
    ),
    "play_key_frame": Advice(
        "No key frame arrives, with which a player could begin.",
        "Set the key frame interval of the encoder to one or two seconds, without scene-dependent key frames.",
    ),
    "play_decoding": Advice(
        "The media cannot be decoded.",
        "Check codec and profile of the encoder and of the output profile. WebRTC needs H.264 of the baseline or "
        "constrained baseline profile, VP8, or Opus.",
    ),
    "play_stalled": Advice(
        "The stream does not move on.",
        "Check that the publisher still sends, and read the server's log.",
    ),
    "play_negotiation": Advice(
        "Viewer and server do not agree on a WebRTC session.",
        "Check the WebRTC publisher of the application, and that its output has a codec that WebRTC takes. "
        "Read the server's log.",
    ),
    "play_ice": Advice(
        "No route for the media by WebRTC works.",
        "Check <IceCandidates> and <TcpRelay> under <Bind> in the server's Server.xml: the addresses must be those "
        "that viewers reach, and firewalls must let the ports pass.",
    ),
    "play_allowed": Advice(
        "A viewer who should be refused can play.",
        "Check signed_policy and admission_webhooks of the virtual host: the publisher must be in enables, and the "
        "host name must reach this virtual host. The server protects viewers by LL-HLS, and none by HLS.",
    ),
    "play_library": Advice(
        "A Python library that plays media is missing.",
        "Install it for the Python that runs the module.",
    ),
    "play_program": Advice(
        "The program that plays this protocol is missing.",
        "Install ffmpeg where the module runs, such as with apt-get install ffmpeg, or leave the protocol out.",
    ),
    "test_stream": Advice(
        "The test signal cannot be published.",
        "Check that the application has the provider, the port of the provider under <Bind> in the server's "
        "Server.xml, the firewall, and signed_policy and admission_webhooks of the virtual host.",
    ),
    "test_stream_elsewhere": Advice(
        "The test signal arrived in another virtual host than the one that has the host name.",
        "Remove the matching host name from the other virtual host, usually <Name>*</Name> of default in the server's "
        "Server.xml, and restart the server. Viewers of the host name reach the other virtual host, too.",
    ),
    "stream_name_used": Advice(
        "A stream with this name is live, and a test signal would end or replace it.",
        "Choose another name for the test stream.",
    ),
    "not_as_expected": Advice(
        "Some playbacks are not as expected.",
        "Read the entries of playbacks with as_expected false. Each has its own error.",
    ),
    "publish_allowed": Advice(
        "A publisher without a signature is taken.",
        "Check signed_policy of the virtual host: the provider must be in enables, and the host name must reach this "
        "virtual host.",
    ),
    "no_output": Advice(
        "The stream is live, and the server makes no output of it.",
        "Check output_profiles of the application: there must be one, and its encodes must have codecs that the server "
        "has. Read the server's log.",
    ),
    "push_silent": Advice(
        "A push of the test stream does not arrive.",
        "Check $sink: the server must reach this address and port by UDP, and no firewall may be between. Read the "
        "server's log.",
    ),
    "job_silent": Advice(
        "It runs, and its counter of bytes does not grow.",
        "Check that its stream is live and sends. For a push task, check url and stream_key, and for a recording the "
        "disk of the server.",
    ),
    "verify_failed": Advice(
        "Not everything that is listed plays.",
        "Read the entries of rows with the verdict fails. Each has its own error.",
    ),
    "host": Advice(
        "The host of the task did not do what the task needs.",
        "The message says what failed. Correct it, and run the task again.",
    ),
    "config_file": Advice(
        "A configuration file of the server could not be read or written.",
        "Check that $config_dir is the server's configuration directory on the host where the task runs, and that the "
        "user of the task may read and write its files.",
    ),
    "config_version": Advice(
        "A configuration file has a version that no supported server takes.",
        "Convert the file. The samples in misc/conf_examples of the server's source show the present form.",
    ),
    "bad_input": Advice(
        "An option has an invalid value. Nothing was sent.",
        "Correct the option that the message names.",
    ),
    "items_failed": Advice(
        "Some items of the list could not be brought to the desired state. All other items were.",
        "Read the failed entries of results. Each has its own error.",
    ),
}


# The exceptions that carry an error kind, and what is known about the failure.

# Kinds of errors without a response of the server itself. The module provision retries its first request while one of
# these occurs.
UNANSWERED = ("refused", "proxy", "unresolved", "timeout", "connection_lost", "gateway", "rate_limited")


AnyError = t.TypeVar("AnyError", bound="OmeError")


class OmeError(Exception):
    """A failure that the user can act on.

    ``kind`` is a key of :data:`ADVICE`. ``attempt`` completes the sentence "Could not …". ``detail`` replaces the
    meaning of the kind, and ``remedy`` its remedy. ``method``, ``path``, ``host`` and ``status`` (HTTP) describe the
    request, if one was sent. ``server_message`` is the message in the server's response. ``outcome_unknown`` is true if
    the request may have taken effect although no usable response arrived.
    """

    def __init__(
        self,
        kind: str,
        attempt: str,
        *,
        detail: str = "",
        remedy: str = "",
        method: str | None = None,
        path: str | None = None,
        host: str | None = None,
        status: int | None = None,
        server_message: str | None = None,
        outcome_unknown: bool = False,
    ) -> None:
        super().__init__(kind, attempt)
        self.kind = kind
        self.attempt = attempt
        self.detail = detail
        self._remedy = remedy
        self.method = method
        self.path = path
        self.host = host
        self.status = status
        self.server_message = server_message
        self.outcome_unknown = outcome_unknown

    @property
    def advice(self) -> Advice:
        """Return meaning and remedy from :data:`ADVICE`."""
        return ADVICE[self.kind]

    @property
    def remedy(self) -> str:
        """Return what to do."""
        return self._remedy or self.advice.remedy

    @property
    def refused(self) -> bool:
        """Return whether a response arrived and rejected the request.

        The request may still have taken effect, but repeating it does not help.
        """
        return (self.status or 0) >= 400 and self.kind not in ("gateway", "rate_limited")

    @property
    def unanswered(self) -> bool:
        """Return whether no response of the server itself arrived; a later attempt can succeed."""
        return self.kind in UNANSWERED

    def with_detail(self, text: str) -> OmeError:
        """Return a copy that says more about what the error means; ``text`` can be empty."""
        return self._with(detail=f"{self.detail or self.advice.meaning} {text}") if text else self

    def with_detail_only(self, text: str) -> OmeError:
        """Return a copy that says something else about what the error means."""
        return self._with(detail=text)

    def for_attempt(self, attempt: str) -> OmeError:
        """Return a copy that says in other words what was attempted."""
        return self._with(attempt=attempt)

    def as_kind(self, kind: str) -> OmeError:
        """Return a copy of another kind."""
        return self._with(kind=kind)

    def with_outcome_unknown(self, unknown: bool) -> OmeError:
        """Return a copy that says whether the request may have taken effect."""
        return self._with(outcome_unknown=unknown)

    def _with(self: AnyError, **attributes: t.Any) -> AnyError:
        changed = copy.copy(self)
        vars(changed).update(attributes)
        return changed

    def __str__(self) -> str:
        """Return one line: what failed, why, the server's message, the request, and what to do."""
        parts = [f"Could not {self.attempt}."]
        parts.append(self.detail if self.detail else self.advice.meaning)
        if self.server_message:
            parts.append(f"The server says: {self.server_message.rstrip('.')}.")
        if self.method:
            where = f"{self.method} {self.path} at {self.host}"
            parts.append(f"({where} answered {self.status})" if self.status else f"({where} got no answer)")
        parts.append(self.remedy)
        return " ".join(parts)

    def as_failure(self) -> dict[str, t.Any]:
        """Return the result of a task that this has ended."""
        return {"failed": True, "changed": False, "msg": str(self), "error": self.as_result()}

    def as_result(self) -> dict[str, t.Any]:
        """Return the value of `error` in a result."""
        return {
            "kind": self.kind,
            "attempted": self.attempt,
            "meaning": self.detail or self.advice.meaning,
            "remedy": self.remedy,
            "method": self.method,
            "path": self.path,
            "host": self.host,
            "status": self.status,
            "server_message": self.server_message,
        }


_LONGEST_EXPECTED = 500  # characters that a message says about an option, its value included


class BadInput(OmeError):
    """An option with an invalid value, detected before any request.

    ``option`` is its full path such as ``host.names[0]``; ``expected`` says what was expected, and what it got.
    """

    def __init__(self, option: str, expected: str) -> None:
        self.option = option
        self.expected = (
            expected
            if len(expected) <= _LONGEST_EXPECTED
            else f"{expected[:_LONGEST_EXPECTED]} ... ({len(expected)} characters)"
        )
        self._shown = named(option)
        super().__init__("bad_input", f"use option {self._shown}", detail=f"{self._shown}: {self.expected}.")

    def within(self, entry: str) -> BadInput:
        """Return a copy that names the entry of a list that contains the option."""
        expected = f"{self.expected}, in {named(entry)}"
        return self._with(expected=expected, detail=f"{self._shown}: {expected}.")

    def __str__(self) -> str:
        return f"{self._shown}: {self.expected}."


class Refusal(OmeError):
    """Options that cannot work together, or not with what is there. The message is ``problem``, as sentences."""

    def __init__(self, attempt: str, problem: str, untouched: str = "Nothing was done.") -> None:
        """``attempt`` completes the sentence "Could not …"; ``untouched`` says what was left as it is."""
        super().__init__("bad_input", attempt, detail=problem, remedy=untouched)

    def __str__(self) -> str:
        return f"{self.detail} {self.remedy}"
