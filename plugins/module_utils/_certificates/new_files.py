# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The new files of certificates: what they hold, where they go, and what is wrong with them."""

from __future__ import annotations

import contextlib
import functools
import os
import posixpath
import re
import tempfile
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.texts import named
from .._resources.virtual_host import VIRTUAL_HOST
from .._tls.certificate import Certificate, CertificateError, Endpoint, Problem
from .._tls.certificate_reader import check_files, read_file, read_pem_certificates
from .probe import Expected, ProbeSettings, shadowed
from .rotation import Rotation

# Modes of files as users write them in YAML.

_OCTAL = re.compile(r"[0-7]{3,4}")
_LARGEST = 0o777
_OTHERS_WRITE = 0o022


def mode_of(value: t.Any) -> int | None:
    """Return the mode that a user has written; None if it is none.

    YAML makes the number 416 of an unquoted 0640, of which ansible-core before 2.19 makes a text. A number such as 640
    is refused, because nobody knows what was meant.
    """
    if isinstance(value, str):
        text = value.strip()
        if not _OCTAL.fullmatch(text):
            return None
        mode = int(text, 8)
        # Without a zero, it can be such a number as text: 420 for 0644.
        return mode if len(text) > 3 or _is_usual(mode) else None
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= _LARGEST and _is_usual(value) and not value & _OTHERS_WRITE else None


def _is_usual(mode: int) -> bool:
    """Return whether the owner may read, and each class of users no more than the one before it."""
    owner, group, others = mode >> 6, mode >> 3 & 7, mode & 7
    return bool(owner & 4) and not group & ~owner and not others & ~group


# The new files of the certificate of a virtual host: what they hold, where they go, and what is wrong with them.

LABELS = {"chain": "the chain", "certificate": "the certificate", "private_key": "the private key"}
"""The files in the order in which they are put into place."""
_IN_CERTBOT = {"chain": "chain.pem", "certificate": "cert.pem", "private_key": "privkey.pem"}
_DESTINATIONS = {"chain": "chain_cert_path", "certificate": "cert_path", "private_key": "key_path"}


class NewFile(t.NamedTuple):
    """A file with its new content; ``mode`` is that of its destination."""

    name: str
    source: str
    path: str
    content: bytes
    mode: int


class Checked(t.NamedTuple):
    """What the new files hold, and what is wrong with them."""

    certificate: Certificate | None
    problems: list[Problem]


def sources_of(entry: t.Mapping[str, t.Any]) -> dict[str, str]:
    """Return the path or, for content without one, the option of each new file of an entry, by name.

    An empty ``chain`` omits that of ``certbot_live``.
    """
    found = {}
    for name, in_certbot in _IN_CERTBOT.items():
        if entry.get(name) is not None:
            found[name] = str(entry[name])
        elif entry.get(f"{name}_content") is not None:
            found[name] = f"{name}_content"
        elif entry.get("certbot_live"):
            found[name] = posixpath.join(str(entry["certbot_live"]), in_certbot)
    return {name: source for name, source in found.items() if source}


def check_entry(entry: t.Mapping[str, t.Any], path: str) -> None:
    """Raise BadInput if an entry does not say where its files come from; ``path`` is that of the entry."""
    own = [name for name in LABELS if name != "chain" and entry[name]]
    given = [name for name in LABELS if name != "chain" and (entry[name] or entry[f"{name}_content"])]
    if (entry["certbot_live"] and own) or (not entry["certbot_live"] and len(given) < 2):
        raise BadInput(path, f"expected either certbot_live or certificate and private_key, for {entry['vhost']}")


def destinations_of(entry: t.Mapping[str, t.Any], tls: t.Mapping[str, t.Any]) -> dict[str, str]:
    """Return where the files of an entry go, by name, empty if unknown; ``tls`` are the paths of the virtual host."""
    return {name: entry[option] or tls.get(option) or "" for name, option in _DESTINATIONS.items()}


def read_sources(entry: t.Mapping[str, t.Any]) -> tuple[dict[str, bytes], list[Problem]]:
    """Return the contents of the new files by name, and the problems of those that cannot be read."""
    contents, problems = {}, []
    for name, source in sources_of(entry).items():
        if entry[f"{name}_content"] is not None:
            contents[name] = entry[f"{name}_content"].encode("latin-1", "replace")
            continue
        try:
            contents[name] = read_file(source)
        except CertificateError as error:
            problems.append(Problem(error.kind, error.detail))
    return contents, problems


def checked(
    contents: t.Mapping[str, bytes], sources: t.Mapping[str, str], old_chain: str, names: t.Iterable[str], now: float
) -> Checked:
    """Return what new files hold and what is wrong with them.

    ``old_chain`` is the path of the chain in place, which stays if there is no new one; empty if there is none.
    ``names`` are the host names of the virtual host, ``now`` is in seconds since 1970. OpenSSL reads keys from files
    only, so that they are for a moment in a directory of their own.
    """
    with tempfile.TemporaryDirectory(suffix=".certificates") as directory:
        paths = {name: os.path.join(directory, f"{name}.pem") for name in contents}
        for name, content in contents.items():
            with open(os.open(paths[name], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
        problems = check_files(
            paths["certificate"], paths.get("chain") or old_chain or None, paths["private_key"], names, now
        )
        certificate = None
        with contextlib.suppress(CertificateError):  # one of the problems
            certificate = read_pem_certificates(paths["certificate"])[0]
    texts = []
    for problem in problems:
        text = problem.text
        for name, path in paths.items():
            text = text.replace(path, sources[name])
        texts.append(Problem(problem.kind, text))
    return Checked(certificate, texts)


# Files with the same destination: one PEM file for certificate and key, or files that virtual hosts share.


class Destination(t.NamedTuple):
    """A file to put into place; ``secret`` says that it holds a private key."""

    file: NewFile
    identity: t.Hashable
    """Equal for two paths of one file."""
    secret: bool


def merged(vhosts: t.Mapping[str, t.Sequence[NewFile]]) -> tuple[dict[str, list[Destination]], list[str]]:
    """Return the files of each virtual host with one for each destination, and a sentence for each conflict.

    A destination of a private key has its mode.
    """
    key_modes = {
        identity_of(file.path): file.mode for files in vhosts.values() for file in files if file.name == "private_key"
    }
    first: dict[t.Hashable, tuple[str, NewFile]] = {}
    conflicts = []
    found: dict[str, list[Destination]] = {}
    for vhost, files in vhosts.items():
        own: dict[t.Hashable, Destination] = {}
        for file in files:
            identity = identity_of(file.path)
            owner, other = first.setdefault(identity, (vhost, file))
            if other.content != file.content:
                conflicts.append(_conflict(owner, other, vhost, file))
            file = file._replace(mode=key_modes.get(identity, file.mode))
            own.setdefault(identity, Destination(file, identity, identity in key_modes))
        found[vhost] = list(own.values())
    return found, conflicts


def identity_of(path: str) -> t.Hashable:
    """Return a value that is equal for two paths of one file.

    Hard links are different files here, because replacing one leaves the others unchanged.
    """
    try:
        there = os.stat(path)
    except OSError:
        return os.path.realpath(path)
    return (there.st_dev, there.st_ino) if there.st_nlink == 1 else posixpath.normpath(path)


def _conflict(owner: str, other: NewFile, vhost: str, file: NewFile) -> str:
    if owner == vhost:
        advice = "Specify one PEM file with both as certificate and as private_key, or set different paths."
        what = f"{LABELS[other.name]} and {LABELS[file.name]} of the virtual host {vhost}"
    else:
        advice = "Specify the same file for both virtual hosts, or set different paths."
        what = f"{LABELS[other.name]} of the virtual host {owner} and {LABELS[file.name]} of the virtual host {vhost}"
    return f"{what[:1].upper()}{what[1:]} are different files with the same destination {file.path}. {advice}"


# Validate the new certificates of virtual hosts before anything is changed.

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
