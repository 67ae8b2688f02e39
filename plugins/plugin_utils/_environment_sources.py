# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read the environment variables of a server from what started it: a compose file, a quadlet, a unit, or a file of
variables.

A value that depends on something else than these files, such as a specifier of systemd, is not known here. It is named
and left out, rather than guessed.
"""

from __future__ import annotations

import posixpath
import re
import typing as t

import yaml

LARGEST = 1024 * 1024
"""Bytes of the largest file that is read."""
_SERVER = re.compile(r"oven-?media-?engine|/ome\b", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# `$$`, `$NAME`, `${NAME}` and `${NAME:-default}` of compose files.
_INTERPOLATED = re.compile(
    r"\$(?:\$|(?P<name>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)(?P<operator>:?[-+?])?(?P<rest>[^}]*)\})"
)
_SPECIFIER = re.compile(r"%(.)")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "s": " "}


class Sources:
    """Files that may be needed, by absolute path: their text, or None for one that cannot be read."""

    def __init__(self, texts: t.Mapping[str, str | None]) -> None:
        self._texts = texts
        self.needed: list[str] = []
        """Files that have to be read before the answer is complete."""
        self.notes: list[str] = []
        """What could not be taken, by name and without values."""
        self.values: dict[str, str] = {}

    def read(self, path: str, service: str = "") -> None:
        """Read the variables of a file, whose name says of which kind it is; ``service`` is that of a compose file."""
        text = self._text(path)
        if text is None:
            return
        name = posixpath.basename(path)
        if name.endswith((".yml", ".yaml")):
            self._compose(path, text, service)
        elif name.endswith((".container", ".service", ".conf")):
            self._unit(path, text)
        else:
            self.values.update(self._dotenv(text, name))

    def _text(self, path: str, *, optional: bool = False) -> str | None:
        if path not in self._texts:
            self.needed.append(path)
            return None
        text = self._texts[path]
        if text is None and not optional:
            self.notes.append(f"{path} could not be read, so that its environment variables are missing.")
        return text

    def _unknown(self, name: str, path: str, reason: str) -> None:
        self.values.pop(name, None)
        self.notes.append(f"The value of {name} in {posixpath.basename(path)} {reason}. Set it in server_environment.")

    # Compose

    def _compose(self, path: str, text: str, wanted: str) -> None:
        name, folder = posixpath.basename(path), posixpath.dirname(path)
        try:
            document = yaml.load(text, Loader=_Texts)  # noqa: S506 # it makes texts, lists and dictionaries only
        except (yaml.YAMLError, ValueError, RecursionError):
            self.notes.append(f"{name} is no YAML, so that its environment variables are missing.")
            return
        services = document.get("services") if isinstance(document, dict) else None
        listed = services.items() if isinstance(services, dict) else ()
        services = {key: one for key, one in listed if isinstance(one, dict)}
        found = [wanted] if wanted in services else [key for key, one in services.items() if _is_server(one)]
        found = found or list(services)
        if len(found) != 1 or (wanted and wanted not in services):
            names = ", ".join(map(str, services)) or "none"
            self.notes.append(
                f"{name} does not say which service is the server, so that its environment variables are missing. Add "
                f"#SERVICE to import_config_environment_from. The services are: {names}."
            )
            return
        dotenv = self._text(posixpath.join(folder, ".env"), optional=True)
        outer = self._dotenv(dotenv, ".env") if dotenv is not None else {}
        service = services[found[0]]
        for file in _listed(service.get("env_file")):
            one = file if isinstance(file, dict) else {"path": file}
            inner = posixpath.join(folder, str(self._interpolated("env_file", str(one.get("path")), name, outer)))
            content = self._text(posixpath.normpath(inner), optional=one.get("required") == "false")
            if content is not None:
                raw = one.get("format") == "raw"
                self.values.update(_literal(content) if raw else self._dotenv(content, posixpath.basename(inner)))
        environment = service.get("environment")
        if isinstance(environment, dict):
            pairs = [(str(key), value) for key, value in environment.items()]
        else:
            split = [str(one).partition("=") for one in _listed(environment)]
            pairs = [(key, value if equals else None) for key, equals, value in split]
        for key, value in pairs:
            if value is None and key not in outer:
                self._unknown(key, path, "comes from the shell that runs docker compose")
            else:
                filled = outer[key] if value is None else self._interpolated(key, str(value), path, outer)
                if filled is not None:
                    self.values[key] = filled

    def _interpolated(self, key: str, text: str, path: str, outer: t.Mapping[str, str]) -> str | None:
        """Return a value with the variables of compose replaced; None if one is not known."""
        unknown: list[str] = []

        def replaced(match: re.Match[str]) -> str:
            name, operator, rest = match["name"] or match["braced"], match["operator"] or "", match["rest"] or ""
            if name is None:
                return "$"
            value = outer.get(name)
            if operator.startswith(":") and not value:
                value = None
            if operator.endswith("+"):
                return rest if value is not None else ""
            if value is None and operator.endswith("-"):
                return self._interpolated(key, rest, path, outer) or ""
            if value is None:
                unknown.append(name)
            return value or ""

        filled = _INTERPOLATED.sub(replaced, text)
        if unknown:
            self._unknown(key, path, f"depends on {unknown[0]} of the shell that runs docker compose")
            return None
        return filled

    def _dotenv(self, text: str, name: str) -> dict[str, str]:
        """Return the variables of a file as docker compose reads it."""
        found: dict[str, str] = {}
        for line in text.splitlines():
            key, equals, value = line.strip().removeprefix("export ").partition("=")
            key, value = key.strip(), value.strip()
            if not equals or key.startswith("#") or not _NAME.fullmatch(key):
                continue
            quoted = re.match(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"", value)
            if quoted and quoted[1] is not None:
                found[key] = quoted[1]
                continue
            if quoted:
                value = re.sub(r"\\(.)", lambda one: "$$" if one[1] == "$" else _ESCAPES.get(one[1], one[1]), quoted[2])
            else:
                value = re.sub(r"(?:^|\s)#.*", "", value).rstrip()
            filled = self._interpolated(key, value, name, found)
            if filled is not None:
                found[key] = filled
        return found

    # Units

    def _unit(self, path: str, text: str) -> None:
        quadlet = path.endswith(".container")
        files: list[str] = []
        for section, key, value in _settings(text):
            if section != ("Container" if quadlet else "Service"):
                continue
            if key == "Environment":
                for assignment in _words(value):
                    self._assign(path, assignment)
                if not value:
                    self.values.clear()
            elif key == "EnvironmentFile":
                files = [*files, value] if value else []
        for file in files:
            optional, inner = file.startswith("-"), file.removeprefix("-")
            if "%" in inner.replace("%%", "") or set("*?[") & set(inner):
                self.notes.append(f"The variables of {inner} are missing, because its name is a pattern.")
                continue
            inner = posixpath.normpath(posixpath.join(posixpath.dirname(path), inner.replace("%%", "%")))
            content = self._text(inner, optional=optional)
            if content is not None and quadlet:  # podman prefers what the unit itself sets, and systemd the files
                self.values = {**_literal(content), **self.values}
            elif content is not None:
                self.values.update(_of_systemd(content))

    def _assign(self, path: str, assignment: str) -> None:
        """Take an assignment of a unit. A specifier such as `%h` is known to systemd only."""
        name, equals, value = assignment.partition("=")
        if not equals or not _NAME.fullmatch(name):
            return
        if any(one != "%" for one in _SPECIFIER.findall(value)):
            self._unknown(name, path, "has a specifier of systemd")
        else:
            self.values[name] = value.replace("%%", "%")


class _Texts(yaml.SafeLoader):
    """Loads scalars as texts, as docker compose passes them on: `0123` is no number here."""


_KEPT = ("tag:yaml.org,2002:null", "tag:yaml.org,2002:merge")
_Texts.yaml_implicit_resolvers = {
    first: [one for one in resolvers if one[0] in _KEPT]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _is_server(service: t.Mapping[str, t.Any]) -> bool:
    return any(_SERVER.search(str(service.get(key) or "")) for key in ("image", "command", "entrypoint"))


def _listed(value: t.Any) -> list[t.Any]:
    return [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]


def _literal(text: str) -> dict[str, str]:
    """Return the variables of a file as podman reads it: without quotes and escapes."""
    found = {}
    for line in text.splitlines():
        key, equals, value = line.lstrip().partition("=")
        if equals and _NAME.fullmatch(key):
            found[key] = value
    return found


def _settings(text: str) -> t.Iterator[tuple[str, str, str]]:
    """Yield (section, key, value) of a unit; a backslash at the end of a line continues it (systemd.syntax)."""
    section, held = "", ""
    for line in text.splitlines():
        if line.lstrip().startswith(("#", ";")):
            continue
        line = held + line
        if line.endswith("\\"):
            held = line[:-1] + " "
            continue
        held, line = "", line.strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
        elif "=" in line:
            key, _equals, value = line.partition("=")
            yield section, key.strip(), value.strip()


def _words(text: str) -> list[str]:
    """Return the words of a setting: quotes can begin a word, and a backslash escapes as in C (systemd.syntax)."""
    words: list[str] = []
    word, quote, inside, index = "", "", False, 0
    while index < len(text):
        one = text[index]
        if one == "\\" and index + 1 < len(text):
            found = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|([0-7]{3})|(.))").match(text, index)
            code = found and (found[1] or found[2])
            if found and (code or found[3]):
                word += chr(int(code, 16) if code else int(found[3], 8))
            elif found:
                word += _ESCAPES.get(found[4], found[4])
            inside, index = True, found.end() if found else index + 1
            continue
        if quote:
            word, quote = (word, "") if one == quote else (word + one, quote)
        elif one in "\"'":
            quote, inside = one, True
        elif one.isspace():
            words, word, inside = ([*words, word] if inside else words), "", False
        else:
            word, inside = word + one, True
        index += 1
    return [*words, word] if inside else words


def _of_systemd(text: str) -> dict[str, str]:
    """Return the variables of a file as systemd reads it (systemd.exec: EnvironmentFile)."""
    found: dict[str, str] = {}
    text = text.replace("\r\n", "\n")
    index = 0
    while index < len(text):
        end = text.find("\n", index)
        end = len(text) if end < 0 else end
        line = text[index:end]
        if line.lstrip().startswith(("#", ";")) or "=" not in line:
            index = end + 1
            continue
        key = line.partition("=")[0].strip()
        value, index = _value_of_systemd(text, index + line.index("=") + 1)
        if _NAME.fullmatch(key):
            found[key] = value
    return found


def _value_of_systemd(text: str, index: int) -> tuple[str, int]:
    """Return the value that begins at ``index``, and where the next line begins."""
    value, quote, kept, begun = "", "", 0, False
    while index < len(text):
        one, index = text[index], index + 1
        following = text[index : index + 1]
        if quote == "'" or (quote == '"' and one != "\\"):
            value, quote = (value, "") if one == quote else (value + one, quote)
            kept = len(value)
            begun = bool(quote)
        elif one == "\\" and following:
            index += 1
            if quote and following not in '"\\`$\n':
                value += "\\"
            value += "" if following == "\n" else following
            kept, begun = len(value), True
        elif one == "\n":
            break
        elif not begun and one in "\"'":
            quote = one
        elif one in " \t" and not begun:
            continue
        else:
            value, begun = value + one, True
            kept = kept if one in " \t" else len(value)
    return value[:kept], index
