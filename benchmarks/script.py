# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plain script that playbooks are compared with: it sends the requests that a file lists over one session, and
reads the answers.

No retries, no comparison, no report: what is left of a task when all that makes it one is taken away. The connection is
from the environment variables of the collection.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import typing as t

import requests

TIMEOUT = 60


def session_for(environment: t.Mapping[str, str]) -> requests.Session:
    """Return a session with the credential and the settings for TLS that the environment names."""
    session = requests.Session()
    # A netrc file must not replace the credential.
    session.trust_env = False
    session.headers["Authorization"] = (
        "Basic " + base64.b64encode(environment["OVENMEDIAENGINE_API_TOKEN"].encode()).decode()
    )
    verified = environment.get("OVENMEDIAENGINE_VALIDATE_CERTS", "true").lower() not in (
        "false",
        "no",
        "off",
        "0",
        "f",
        "n",
    )
    session.verify = (environment.get("OVENMEDIAENGINE_CA_PATH") or True) if verified else False
    if environment.get("OVENMEDIAENGINE_CLIENT_CERT"):
        session.cert = (environment["OVENMEDIAENGINE_CLIENT_CERT"], environment["OVENMEDIAENGINE_CLIENT_KEY"])
    return session


def main(path: str) -> None:
    """Send what a file lists: method, path and body of each request. :raises SystemExit: a request was refused."""
    with open(path, encoding="utf-8") as stream:
        calls = json.load(stream)
    base = os.environ["OVENMEDIAENGINE_API_URL"].rstrip("/")
    with session_for(os.environ) as session:
        for method, target, body in calls:
            answer = session.request(method, base + target, json=body, timeout=TIMEOUT)
            if not answer.ok:
                sys.exit(f"{method} {target}: {answer.status_code}")
            answer.json()


if __name__ == "__main__":
    main(sys.argv[1])
