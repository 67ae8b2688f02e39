# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Validate the new certificates of virtual hosts before anything is changed."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .._core.option_names import named
from .._resources.virtual_host import VIRTUAL_HOST
from .._tls.certificate import Certificate, Endpoint
from .destinations import Destination, merged
from .file_modes import mode_of
from .new_files import NewFile, checked, destinations_of, read_sources, sources_of
from .probe import Expected, ProbeSettings
from .rotation import Rotation
from .sni import shadowed

Params = t.Mapping[str, t.Any]
NOTHING = "Nothing was changed."


class Validated:
    """A virtual host with its new files, and what it serves."""

    def __init__(self, vhost: str, rotation: Rotation, certificate: Certificate, files: list[NewFile]) -> None:
        self.vhost = vhost
        self.rotation = rotation
        self.certificate = certificate
        self.files = files
        self.destinations: list[Destination] = []

    @property
    def expected(self) -> Expected:
        """The certificate that is to be served."""
        return Expected(self.certificate.fingerprint, self.certificate)

    @property
    def certificate_path(self) -> str:
        """The destination of the certificate."""
        return next(file.path for file in self.files if file.name == "certificate")

    @property
    def attempt(self) -> str:
        """What completes the sentence "Could not ..."."""
        return attempt_for(self.vhost)


def attempt_for(vhost: str) -> str:
    """Return what is attempted for a virtual host, for errors."""
    return f"rotate the certificate of virtual host {vhost}"


def refused(attempt: str, detail: str, kind: str = "bad_input") -> OmeError:
    """Return the error for something that is found before anything is changed."""
    return OmeError(kind, attempt, detail=detail, remedy=NOTHING)


class Validator:
    """Reads the virtual hosts of a server and judges their new files."""

    def __init__(self, params: Params, settings: ProbeSettings, api: Api, context: Context) -> None:
        """``params`` are the checked options of the module, ``settings`` those of handshakes."""
        self._params = params
        self._settings = settings
        self._api = api
        self._context = context

    def validated(self) -> list[Validated]:
        """Return the virtual hosts in their order. Raises OmeError for the first that cannot be rotated."""
        entries = [self._validated(*pair) for pair in zip(self._params["certificates"], self._virtual_hosts())]
        self._check_shadows(entries)
        destinations, conflicts = merged({entry.vhost: entry.files for entry in entries})
        if conflicts:
            more = f" Number of such conflicts: {len(conflicts)}." if len(conflicts) > 1 else ""
            raise refused("use the destinations", " ".join(conflicts[:3]) + more)
        for entry in entries:
            entry.destinations = destinations[entry.vhost]
        return entries

    def _virtual_hosts(self) -> list[dict[str, t.Any]]:
        """Return the listed virtual hosts in option form."""
        raws = self._api.map_concurrently(
            [functools.partial(self._api.read_virtual_host, entry["vhost"]) for entry in self._params["certificates"]]
        )
        for entry, raw in zip(self._params["certificates"], raws):
            if raw is None:
                detail = f"The server has no virtual host {entry['vhost']}."
                raise refused(attempt_for(entry["vhost"]), detail, "vhost_not_found")
        return [VIRTUAL_HOST.from_wire(raw) for raw in raws]

    def _validated(self, entry: Params, vhost: t.Mapping[str, t.Any]) -> Validated:
        """Return a virtual host with its new files and what is served. Raises OmeError if they cannot be used."""
        name, host = entry["vhost"], vhost.get("host") or {}
        attempt = attempt_for(name)
        paths = destinations_of(entry, host.get("tls") or {})
        if not paths["certificate"] or not paths["private_key"]:
            raise refused(
                attempt,
                f"The virtual host {name} has no TLS: the server names no files for its certificate. Set "
                "host.tls.cert_path and host.tls.key_path, with the module vhost and recreate or, if the virtual host "
                "comes from the server's configuration file, in that file.",
            )
        sources = sources_of(entry)
        if "chain" in sources and not paths["chain"]:
            raise refused(
                attempt,
                f"There is a chain for the virtual host {name}, which has no host.tls.chain_cert_path: the server "
                "would not send the chain, and clients would refuse the certificate. Set the path, or omit the chain "
                "with chain: ''.",
            )
        contents, problems = read_sources(entry)
        names, now = host.get("names", []), self._context.now()
        certificate = None
        if not problems:
            old_chain = "" if "chain" in contents else paths["chain"]
            certificate, problems = checked(contents, sources, old_chain, names, now)
        problems = [problem for problem in problems if problem.kind not in self._params["accept"]]
        if problems or certificate is None:
            kinds = ", ".join(dict.fromkeys(problem.kind for problem in problems))
            text = " ".join(problem.text for problem in problems)[:1500]
            detail = f"The new files for the virtual host {name} cannot be used ({kinds}). {text}"
            raise refused(attempt, detail, "certificate_file")
        days, least = certificate.days_left(now), self._params["min_days_left"]
        if least and days < least:
            raise refused(
                attempt,
                f"The new certificate for the virtual host {name} is valid until {certificate.not_after}, for {days} "
                f"days. {named('min_days_left')} requires {least}.",
                "certificate_expiring",
            )
        modes = {key: mode_of(self._params[key]) or 0 for key in ("mode", "key_mode")}
        files = [
            NewFile(one, sources[one], paths[one], contents[one], modes["key_mode" if one == "private_key" else "mode"])
            for one in sources
        ]
        rotation = Rotation(
            self._api,
            self._context,
            self._settings,
            vhost=name,
            scope="vhosts",
            wait_timeout=self._params["wait_timeout"],
            known=True,
        )
        rotation.probe(self._endpoints(entry, names))
        return Validated(name, rotation, certificate, files)

    def _endpoints(self, entry: Params, names: t.Sequence[str]) -> list[Endpoint]:
        first = next((name for name in names if "*" not in name), None)
        listed = self._params["endpoints"] if entry["endpoints"] is None else entry["endpoints"]
        found = []
        for one in listed:
            host = one["host"] or self._api.hostname
            found.append(Endpoint(host, one["port"], one["server_name"] or first or host))
        return found

    def _check_shadows(self, entries: t.Sequence[Validated]) -> None:
        """Raise OmeError if the server presents the certificate of another virtual host, unless both get the same."""
        for number, entry in enumerate(entries):
            same = {
                one.vhost for one in entries[:number] if one.certificate.fingerprint == entry.certificate.fingerprint
            }
            shadows = [
                (endpoint, shadow)
                for endpoint, shadow in entry.rotation.shadows(entry.expected)
                if shadow.host.name not in same
            ]
            if shadows:
                error = shadowed(entry.vhost, shadows)
                advice = (
                    f"The server would not present the certificate of the virtual host {entry.vhost} (shadowed). "
                    f"{error.detail} {error.remedy} If the other virtual host gets the same certificate, list it "
                    f"before {entry.vhost}."
                )
                raise refused(error.attempt, advice, "shadowed")
