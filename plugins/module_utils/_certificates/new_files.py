# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The new files of the certificate of a virtual host: what they hold, where they go, and what is wrong with them."""

from __future__ import annotations

import contextlib
import os
import posixpath
import tempfile
import typing as t

from .._core.errors import BadInput
from .._tls.certificate import Certificate, CertificateError, Problem
from .._tls.pem_files import check_files, read_file, read_pem_certificates

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
