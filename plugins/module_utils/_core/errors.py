# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What can go wrong, and what to do about it: one table, used by every message and by the guide on errors."""

from __future__ import annotations

import copy
import typing as t


class Advice(t.NamedTuple):
    """What an error means and what its reader can do."""

    meaning: str
    remedy: str


# The keys are the values of `error.kind` in results. The guide "Errors and what to do" shows this very table; a test
# compares the two.
ADVICE: dict[str, Advice] = {
    "unauthorized": Advice(
        "The server does not accept the access token.",
        "Set api_token (or OVENMEDIAENGINE_API_TOKEN) to the AccessToken of Managers/API in the server's Server.xml.",
    ),
    "read_only": Advice(
        "The virtual host comes from the server's configuration file and cannot be changed through the API.",
        "Change it in the server's Server.xml and restart the server, or take it out of the list. Its push tasks and certificates can be managed all the same.",
    ),
    "vhost_not_found": Advice(
        "The server has no virtual host of this name.",
        "Check the name, or create the virtual host first. A restart of the server loses every virtual host that was made through the API.",
    ),
    "application_not_found": Advice(
        "The virtual host has no application of this name.",
        "Check the name. A virtual host that was made through the API has no applications until they are created.",
    ),
    "push_publisher_missing": Advice(
        "The application has no push publisher.",
        "Enable the Push publisher in this application: <Push /> under Publishers in Server.xml (<RTMPPush /> before server version 0.16.6).",
    ),
    "task_not_found": Advice(
        "The application has no push task of this id.",
        "Read the tasks with push_task_info. A task that was stopped is no longer listed.",
    ),
    "controller_not_found": Advice(
        "The server has no such call.",
        "Check that api_url is the base address without /v1, and that the server's version offers the call.",
    ),
    "duplicate_id": Advice(
        "Another push task of this id runs in the application, or is still being stopped.",
        "Another controller may work on the same server. Run the task again.",
    ),
    "conflict": Advice(
        "An object of this name exists already.",
        "Somebody else created it at the same time, otherwise than wanted. Run the task again.",
    ),
    "bad_request": Advice(
        "The server refuses the request.",
        "Read the server's message. Options that only a newer server knows are refused by an older one.",
    ),
    "server_error": Advice(
        "The server failed to do it.",
        "Read the server's own log.",
    ),
    "reload_failed": Advice(
        "The server could not load the certificate; the one it had stays in use.",
        "Check that the files exist, that the server may read them, and that key and certificate belong together. "
        "A virtual host without TLS answers the same on servers before 0.17.",
    ),
    "certificate_file": Advice(
        "The certificate file cannot be used.",
        "Correct the file, or the path; the file is read on the host where the module runs.",
    ),
    "certificate_not_served": Advice(
        "The server was asked to load its certificate files, and still serves another certificate.",
        "Read the server's log: a file that is broken, missing or not readable for the server, or the key of another certificate, "
        "leaves the old certificate in use although the server answers with success.",
    ),
    "shadowed": Advice(
        "The server presents the certificate of another virtual host for this host name.",
        "Take the host name that matches out of the other virtual host, or create this virtual host under a name that sorts before it. "
        "Or rotate the certificate of the other virtual host, and have it cover this host name, too.",
    ),
    "handshake_failed": Advice(
        "No TLS handshake with the endpoint succeeds.",
        "Check host, port and firewall, and that the virtual host has TLS: a server whose certificate files could not be read serves none.",
    ),
    "certificate_expiring": Advice(
        "A certificate that is served ends too soon.",
        "Renew the certificate and reload it.",
    ),
    "chain_not_verified": Advice(
        "What is served cannot be verified as clients do it.",
        "Check that chain_cert_path holds the intermediate certificates, that the certificate is for the host name, and which CA certificates are trusted.",
    ),
    "rate_limited": Advice(
        "A gateway in front of the server asks to slow down.",
        "Raise the gateway's limit, or raise retries.",
    ),
    "gateway": Advice(
        "A proxy or gateway answered in place of the server, which it could not reach.",
        "Check that the server runs and that the proxy forwards to its API port.",
    ),
    "not_json": Advice(
        "What answered is not the server's API: the answer is no JSON.",
        "Check the port and the path of api_url, and that no proxy or login page stands between.",
    ),
    "redirect": Advice(
        "Something answered with a redirect, which is not followed, as it would carry the access token elsewhere.",
        "Set api_url to the final address, for example https instead of http.",
    ),
    "too_large": Advice(
        "The answer is larger than any of the API can be, and was not read to its end.",
        "Check that api_url is the API of OvenMediaEngine. A list of this many objects, or objects of this size, cannot be managed by the API.",
    ),
    "unexpected_answer": Advice(
        "The answer is JSON, but not of the form that the API is known to send.",
        "Check that api_url is the API of OvenMediaEngine and that its version is one that this collection supports.",
    ),
    "tls": Advice(
        "The server's TLS certificate cannot be verified, or the TLS handshake failed.",
        "Set ca_path to the CA that signed the certificate, and use a host name in api_url that the certificate covers.",
    ),
    "wrong_scheme": Advice(
        "The port does not speak the protocol that api_url asks for.",
        "Change the scheme of api_url, http or https, or its port: <Port> and <TLSPort> of <API> in the server's Server.xml.",
    ),
    "refused": Advice(
        "Nothing listens at this address.",
        "Check that the server runs, that <API> is enabled under Managers and Bind in its Server.xml, and host and port of api_url.",
    ),
    "unresolved": Advice(
        "The host name of api_url cannot be resolved.",
        "Check the host name, or use an address.",
    ),
    "timeout": Advice(
        "The server did not answer in time.",
        "Check host, port and firewall, and that nothing holds the server up; raise timeout if it is only slow.",
    ),
    "connection_lost": Advice(
        "The connection broke before the answer was complete.",
        "The server may have been restarted. Run the task again: it looks at what is there before it changes anything.",
    ),
    "lost": Advice(
        "What this task had made or found is no longer there as it was; the connection broke in between, as it does where the server is restarted.",
        "A restart loses all that was made through the API: run the whole playbook again. If nobody restarted the server, read its log for a crash.",
    ),
    "wait_timeout": Advice(
        "The server accepted the request, but the wanted state did not come within wait_timeout.",
        "Check that the stream is live and that the destination accepts it, or raise wait_timeout.",
    ),
    "differs": Advice(
        "The object exists and differs, and the server can only change it by deleting it and making it again.",
        "Set recreate to true to do so. This cuts off its viewers and publishers.",
    ),
    "unsupported_option": Advice(
        "The server's version does not know an option.",
        "Upgrade the server, or leave the option out.",
    ),
    "unreachable": Advice(
        "Another virtual host takes host names of this one, so that publishers and viewers that use them do not reach it.",
        "Remove the matching host name of the other virtual host, usually <Name>*</Name> of default in the server's Server.xml, "
        "restart the server and run the playbook again. Or set require_reachable to false.",
    ),
    "configured_task": Advice(
        "A push task of this id was made by the server's own configuration (stream map) and is never touched.",
        "Choose another id, or change the server's stream map.",
    ),
    "bad_input": Advice(
        "An option has a value that cannot work. Nothing was sent.",
        "Correct the option that the message names.",
    ),
    "items_failed": Advice(
        "Some items of the list could not be brought into the wanted state; the others were.",
        "Read the failed entries of results, each with its own error.",
    ),
}


# Kinds of errors that are no answer of the server's own. The role provision waits while it meets one of them.
UNANSWERED = ("refused", "unresolved", "timeout", "connection_lost", "gateway", "rate_limited")


class OmeError(Exception):
    """A failure that the user can act on.

    ``kind`` is a key of :data:`ADVICE`. ``attempt`` says in words what was tried. ``method``, ``path``, ``host`` and
    ``status`` describe the request where there was one. ``server_message`` is what the server said itself.
    ``maybe_done`` is true where the request may have taken effect although no answer came.
    """

    def __init__(
        self,
        kind: str,
        attempt: str,
        *,
        detail: str = "",
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
        self.method = method
        self.path = path
        self.host = host
        self.status = status
        self.server_message = server_message
        self.outcome_unknown = outcome_unknown

    @property
    def advice(self) -> Advice:
        """Meaning and remedy from :data:`ADVICE`."""
        return ADVICE[self.kind]

    @property
    def refused(self) -> bool:
        """Whether an answer came and said no.

        What was asked may be done all the same, but asking once more helps nothing.
        """
        return (self.status or 0) >= 400 and self.kind not in ("gateway", "rate_limited")

    @property
    def unanswered(self) -> bool:
        """Whether the server gave no answer of its own, which it may do later."""
        return self.kind in UNANSWERED

    def with_detail(self, text: str) -> OmeError:
        """Return a copy that says more about what the error means."""
        return self._with(detail=f"{self.detail or self.advice.meaning} {text}")

    def for_attempt(self, attempt: str) -> OmeError:
        """Return a copy that says in other words what was attempted."""
        return self._with(attempt=attempt)

    def with_outcome_unknown(self, unknown: bool) -> OmeError:
        """Return a copy that says whether the request may have taken effect."""
        return self._with(outcome_unknown=unknown)

    def _with(self, **attributes: t.Any) -> OmeError:
        changed = copy.copy(self)
        vars(changed).update(attributes)
        return changed

    def __str__(self) -> str:
        """One line: what was attempted, what happened, the server's own words, where, and what to do."""
        parts = [f"Could not {self.attempt}."]
        parts.append(self.detail if self.detail else self.advice.meaning)
        if self.server_message:
            parts.append(f"The server says: {self.server_message.rstrip('.')}.")
        if self.method:
            where = f"{self.method} {self.path} at {self.host}"
            parts.append(f"({where} answered {self.status})" if self.status else f"({where} got no answer)")
        parts.append(self.advice.remedy)
        return " ".join(parts)

    def as_result(self) -> dict[str, t.Any]:
        """The structured form for the `error` key of a result."""
        return {
            "kind": self.kind,
            "attempted": self.attempt,
            "meaning": self.detail or self.advice.meaning,
            "remedy": self.advice.remedy,
            "method": self.method,
            "path": self.path,
            "host": self.host,
            "status": self.status,
            "server_message": self.server_message,
        }


_LONGEST_EXPECTED = 500  # characters of what a message says about an option, what was given included


class BadInput(OmeError):
    """An option that cannot work, found before anything was sent."""

    def __init__(self, option: str, expected: str) -> None:
        self.option = option
        self.expected = (
            expected
            if len(expected) <= _LONGEST_EXPECTED
            else f"{expected[:_LONGEST_EXPECTED]} ... ({len(expected)} characters)"
        )
        super().__init__("bad_input", f"use option {option}", detail=f"{option}: {self.expected}.")

    def within(self, entry: str) -> BadInput:
        """Add the entry of a list that the option is in, and return the error."""
        self.expected = f"{self.expected}, in {entry}"
        self.detail = f"{self}"
        return self

    def __str__(self) -> str:
        return f"{self.option}: {self.expected}."
