# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images and containers, for the fakes of ``podman`` and ``docker``."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable

from . import running
from .commands import Failure, complain, line_count, options, say, since, unknown, version_of
from .store import Store

Options = dict[str, list[str]]
_STATUS = {"active": "running", "activating": "restarting"}
_VALUES = ("-f", "--format", "-n", "--tail", "--filter", "--since")


def main(program: str, store: Store, argv: list[str]) -> int:
    """Run a command that both programs have."""
    found, words = options(argv, _VALUES)
    if words[:1] in (["image"], ["container"]):
        words = [_SHORT.get(" ".join(words[:2]), " ".join(words[:2])), *words[2:]]
    command, names = (words[0], words[1:]) if words else ("version", [])
    if command in _ALONE and not names:
        _ALONE[command](program, store, found)
    elif command in _NAMED and len(names) == 1:
        return _NAMED[command](program, store, names[0], found)
    else:
        raise unknown(program, argv)
    return 0


def identifier(name: str) -> str:
    """Return an id that is the same for the same name."""
    return hashlib.sha256(name.encode()).hexdigest()


def pull(store: Store, reference: str, again: bool = False, quiet: bool = True) -> None:
    """Fetch an image unless it is there. :param again: also then. :raises Failure: that does not work."""
    state = store.read()
    if reference in state["images"] and not again:
        return
    if not quiet:
        complain(f"Trying to pull {reference}...")
    if state["registry_is_down"]:
        raise Failure(f"Error: initializing source docker://{reference}: connection refused", 125)
    version = version_of(store, reference)
    if version is None:
        raise Failure(f"Error: initializing source docker://{reference}: manifest unknown", 125)
    with store.change() as changed:
        changed["images"][reference] = version


def _inspect(found: dict[str, list[str]], values: dict[str, object]) -> None:
    """Print what is asked for; only simple templates, such as ``{{.Id}}`` or ``{{.State.Status}} {{.Name}}``."""
    template = (found.get("--format", []) + found.get("-f", []) + [""])[0]
    if template in ("", "json"):
        say(json.dumps([values]))
        return

    def field(match: re.Match[str]) -> str:
        value: object = values
        for key in match[1].split("."):
            if not isinstance(value, dict) or key not in value:
                raise Failure(f"Error: template: {template}: no such field: {key}", 125)
            value = value[key]
        return str(value).lower() if isinstance(value, bool) else str(value)

    say(re.sub(r"\{\{ *\.([\w.]+) *\}\}", field, template))


def _found_nothing(found: Options) -> None:
    """Print what an inspection without a template prints of nothing."""
    if "--format" not in found and "-f" not in found:
        say("[]")


def _containers(store: Store) -> dict[str, dict[str, str]]:
    runs: dict[str, dict[str, str]] = store.read()["runs"]
    # That of a quadlet is removed when it ends.
    return {
        name: run
        for name, run in runs.items()
        if "container" in run and not (name.endswith(".service") and not running.state_of(store, name).runs)
    }


def _name(program: str, store: Store, container: str) -> str:
    """Return the name under which a container was started."""
    for name, run in _containers(store).items():
        if container in (run["container"], identifier(name), identifier(name)[:12]):
            return name
    raise Failure(f"Error: no such container: {container}", 125 if program == "podman" else 1)


def _container(program: str, store: Store, container: str) -> dict[str, object]:
    name = _name(program, store, container)
    run, state = _containers(store)[name], running.state_of(store, name)
    return {
        "Id": identifier(name),
        "Name": run["container"],
        "Image": identifier(run["image"]),
        "ImageName": run["image"],
        "Config": {"Image": run["image"]},
        "State": {
            "Status": _STATUS.get(state.active, "exited"),
            # docker says so also of a container that waits for its next start.
            "Running": state.supervised,
            "ExitCode": state.status,
            "Pid": state.pid,
        },
    }


def _version(program: str, _store: Store, _found: Options) -> None:
    say(f"{program} version 5.0.0 (fake)")


def _info(program: str, _store: Store, _found: Options) -> None:
    say(json.dumps({"program": program, "fake": True}))


def _images(_program: str, store: Store, _found: Options) -> None:
    say(*sorted(store.read()["images"]))


def _ps(_program: str, store: Store, found: Options) -> None:
    for name, run in _containers(store).items():
        if running.state_of(store, name).runs or "-a" in found or "--all" in found:
            say(identifier(name)[:12] if "-q" in found or "--quiet" in found else run["container"])


def _pull(_program: str, store: Store, reference: str, found: Options) -> int:
    pull(store, reference, again=True, quiet="--quiet" in found or "-q" in found)
    say(identifier(reference))
    return 0


def _image_inspect(program: str, store: Store, reference: str, found: Options) -> int:
    if reference not in store.read()["images"]:
        _found_nothing(found)
        raise Failure(f"Error: {reference}: image not known", 125 if program == "podman" else 1)
    _inspect(found, {"Id": identifier(reference), "RepoTags": [reference], "RepoDigests": []})
    return 0


def _image_exists(_program: str, store: Store, reference: str, _found: Options) -> int:
    return 0 if reference in store.read()["images"] else 1


def _rmi(program: str, store: Store, reference: str, _found: Options) -> int:
    with store.change() as state:
        if state["images"].pop(reference, None) is None:
            raise Failure(f"Error: {reference}: image not known", 1 if program == "podman" else 125)
    return 0


def _container_inspect(program: str, store: Store, name: str, found: Options) -> int:
    try:
        values = _container(program, store, name)
    except Failure:
        _found_nothing(found)
        raise
    _inspect(found, values)
    return 0


def _logs(program: str, store: Store, name: str, found: Options) -> int:
    lines = line_count(found, "-n", "--tail")
    say(*store.last_lines(_name(program, store, name), lines, since(found, "--since")))
    return 0


def _restart(program: str, store: Store, container: str, _found: Options) -> int:
    """Start a container as it was started last, whether it runs or not."""
    name = _name(program, store, container)
    running.stop(store, name)
    running.start_again(store, name)
    say(container)
    return 0


_ALONE: dict[str, Callable[[str, Store, Options], None]] = {
    "version": _version,
    "info": _info,
    "images": _images,
    "ps": _ps,
}
_NAMED: dict[str, Callable[[str, Store, str, Options], int]] = {
    "pull": _pull,
    "image inspect": _image_inspect,
    "image exists": _image_exists,
    "rmi": _rmi,
    "inspect": _container_inspect,
    "logs": _logs,
    "restart": _restart,
}
_SHORT = {
    "image pull": "pull",
    "image ls": "images",
    "image list": "images",
    "image rm": "rmi",
    "container inspect": "inspect",
    "container ls": "ps",
    "container logs": "logs",
}
