# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every option of every module, found by walking the argument specs, and how a value is put into one on top of valid
options.
"""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.options import connection_options
from ansible_collections.streamops.ovenmediaengine.tests import module_examples
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import argument_spec
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import TASK

OURS = {"name": "t-s", "host": {"names": ["s.example.com"]}}
"""A virtual host that is there, and what is in it."""
OUR_APP = {"vhost": "t-s", "name": "live", "providers": {"rtmp": {}}, "publishers": {"push": {}}}
OUR_TASK = {**TASK, "vhost": "t-s", "app": "live"}

_DIRECTORY = tempfile.TemporaryDirectory(prefix="t-conf-")
"""A directory for configuration files, which the process removes at its end."""
VALID = module_examples.options(Path(_DIRECTORY.name))
"""Options with which each module succeeds on the server of `module_examples.prepare`."""

# A valid value of each option that is required inside of another one.
_REQUIRED: dict[str, Any] = {
    "name": "x",
    "stream": "s",
    "vhost": "t-v",
    "app": "app",
    "id": "t-p",
    "location": "/app",
    "pass": {"scheme": "ovt", "urls": {"url": ["o.example.com:9000/app"]}},
    "scheme": "ovt",
    "urls": {"url": ["o.example.com:9000/app"]},
    "url": ["o.example.com:9000/app"],
    "file_name": "master",
    "key": "X-Header",
    "value": "x",
    "level": "info",
    "access_token": "an-access-token",
    "cert_path": "cert.pem",
    "key_path": "key.pem",
    "path": "/model",
    "heights": ["720p"],
}


class Place(NamedTuple):
    """A place that takes a value: an option, an entry of a list, or the name of a key that no option declares."""

    path: tuple[Any, ...]  # names of options, 0 for the first entry of a list
    spec: Mapping[str, Any] | None  # of the option or the entry; None for a key
    as_key: bool = False

    def __str__(self) -> str:
        return f"{spelled(self.path)}{'.<key>' if self.as_key else ''}"


def spelled(path: tuple[Any, ...]) -> str:
    """Return the full name of an option, as messages give it."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def places(module: str) -> list[Place]:
    """Return every place of a module: options at every level, entries of each list, a key of each dictionary."""
    return [*_places(argument_spec(module), ()), Place((), None, as_key=True)]


def _places(specs: Mapping[str, Any], path: tuple[Any, ...]) -> Iterator[Place]:
    for name, spec in specs.items():
        here = (*path, name)
        yield Place(here, spec)
        inner = here
        if spec["type"] == "list":
            inner = (*here, 0)
            yield Place(inner, {**spec, "type": spec.get("elements", "raw")})
        if "options" in spec:
            yield from _places(spec["options"], inner)
        if spec["type"] == "dict" or spec.get("elements") == "dict":
            yield Place(inner, None, as_key=True)
        if spec["type"] == "dict" and "options" not in spec:  # passed through: what is in it can be nested
            yield Place((*inner, "item"), {"type": "raw"})
            if name not in connection_options():
                yield Place((*inner, "item", "item"), {"type": "raw"})
                yield Place((*inner, "item"), None, as_key=True)
                yield Place((*inner, "items", 0, "item"), {"type": "raw"})
                yield Place((*inner, "items", 0), None, as_key=True)


def declared(specs: Mapping[str, Any], path: str = "") -> set[str]:
    """Return the names of all options at every level, found independently of :func:`places`, for comparison."""
    found = set()
    for name, spec in specs.items():
        found |= {f"{path}{name}"} | declared(spec.get("options") or {}, f"{path}{name}.")
    return found


def with_value(module: str, place: Place, value: Any) -> dict[str, Any]:
    """Return valid options of a module with a value at one place, and beside it what is required there."""
    name = str(place.path[0]) if place.path else ""
    options = {**copy.deepcopy(VALID[module]), **module_examples.examples()[module].beside.get(name, {})}
    specs: Mapping[str, Any] = argument_spec(module)
    here: Any = options
    steps = [*place.path, value] if place.as_key else list(place.path)
    for position, step in enumerate(steps[:-1]):
        if isinstance(step, str):
            specs = specs.get(step, {})
        if isinstance(step, int) and step == len(here):
            here.append(None)
        following = steps[position + 1]
        there = here[step] if isinstance(step, int) else here.get(step)
        if there is None:
            there = here[step] = [] if isinstance(following, int) else {}
        here = there
        inside = specs.get("options") or {}
        if isinstance(following, str):
            holder = str(step if isinstance(step, str) else steps[position - 1])
            for option, sound in module_examples.inside().get(holder, {}).items() if inside else ():
                if option in inside:
                    here.setdefault(option, copy.deepcopy(sound))
            for option, spec in inside.items():
                if spec.get("required") and option not in here:
                    here[option] = copy.deepcopy(_REQUIRED[option])
        if isinstance(following, str) and inside:
            specs = inside
    last = steps[-1]
    if isinstance(last, int):
        here[last:] = [value]
    else:
        here[last] = "canary-value" if place.as_key else value
    return options
