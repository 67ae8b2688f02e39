# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The configuration directory: includes, files outside of it, atomic writes, removal, diffs."""

from __future__ import annotations

import errno
import fcntl
import io
import os
import socket
import stat
from pathlib import Path
from typing import Any, cast

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import (
    atomic_files,
    document,
    masked_diff,
    option_xml,
    virtual_host_file,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import directory as directory_module
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.atomic_files import Access
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.directory import Directory
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.document import BadFile, Element
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.editor import Editor
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.server_files import (
    FileKind,
    MapFile,
    VirtualHostFile,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.stream_maps import PUSH_MAP
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.virtual_host_file import (
    VIRTUAL_HOST_FILE,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError

SERVER = '<Server version="8"><VirtualHosts>{}</VirtualHosts></Server>'
INCLUDE = '<VirtualHost include="{}"/>'


def vhost(name: str) -> str:
    return f"<VirtualHost><Name>{name}</Name></VirtualHost>"


def fill(path: Path, **files: str) -> Directory:
    """Write files, named without their suffix, and return their directory."""
    for name, text in files.items():
        (path / f"{name}.xml").write_text(text, encoding="utf-8")
    return Directory(str(path))


def names(directory: Directory) -> list[str]:
    """Return the names of the virtual hosts with their files."""
    hosts = option_xml.kept(directory.load()[0])
    return [f"{option_xml.value(VIRTUAL_HOST_FILE, one)['name']} {getattr(one, 'file', '')}" for one in hosts]


def test_includes_are_read_in_place(tmp_path: Path) -> None:
    server = SERVER.format(INCLUDE.format("VHost*.xml") + vhost("default") + INCLUDE.format("more/?.xml"))
    directory = fill(tmp_path, Server=server, VHost_b=vhost("b"), VHost_a=vhost("a"), other=vhost("other"))
    (tmp_path / "more").mkdir()
    # A name in an included file is relative to Server.xml too.
    (tmp_path / "more" / "x.xml").write_text(
        '<VirtualHost><Name>x</Name><Applications><Application include="App[1].xml"/></Applications></VirtualHost>'
    )
    (tmp_path / "App[1].xml").write_text("<Application><Name>app</Name></Application>")
    assert names(directory) == ["a VHost_a.xml", "b VHost_b.xml", "default Server.xml", "x more/x.xml"]
    included = virtual_host_file.value(directory.load()[0][3])
    assert included == {"name": "x", "applications": [{"name": "app"}]}


def test_an_include_of_nothing_and_an_ignored_one(tmp_path: Path) -> None:
    ignored = '<VirtualHost ignore="true" include="../*.xml"/>'
    assert names(fill(tmp_path, Server=SERVER.format(INCLUDE.format("VHost*.xml") + ignored))) == []


def test_an_ignored_element_stays_in_the_tree(tmp_path: Path) -> None:
    ignored = '<VirtualHost ignore="true"><Host include="../*.xml"/></VirtualHost>'
    hosts = fill(tmp_path, Server=SERVER.format(ignored + vhost("a"))).load()[0]
    assert [one.get("ignore") for one in hosts] == ["true", None]


def test_the_root_of_an_included_file_knows_what_includes_it(tmp_path: Path) -> None:
    hosts = fill(tmp_path, Server=SERVER.format(INCLUDE.format("VHost*.xml")), VHost_a=vhost("a")).load()[0]
    root = cast(Element, hosts[0])
    assert (root.file, root.document.text, root.line) == ("VHost_a.xml", vhost("a"), 1)
    assert root.included_by is not None
    assert (root.included_by.file, root.included_by.get("include")) == ("Server.xml", "VHost*.xml")
    assert cast(Element, hosts).included_by is None


def test_the_server_ignores_the_attributes_of_an_ignored_root_element(tmp_path: Path) -> None:
    files = {"VHost_a": vhost("a").replace(">", ' ignore="true" include="no.xml">', 1)}
    assert names(fill(tmp_path, Server=SERVER.format(INCLUDE.format("VHost*.xml")), **files)) == ["a VHost_a.xml"]


def test_an_included_file_can_include_another_in_its_place(tmp_path: Path) -> None:
    directory = fill(tmp_path, Server=SERVER.format(INCLUDE.format("x.xml")), x=INCLUDE.format("VHost_?.xml"))
    fill(tmp_path, VHost_a=vhost("a"), VHost_b=vhost("b"))
    assert names(directory) == ["a VHost_a.xml", "b VHost_b.xml"]
    assert names(fill(tmp_path, Server='<Server include="y.xml"/>', y=SERVER.format(vhost("c")))) == ["c y.xml"]
    with pytest.raises(BadFile, match=r"Server\.xml: expected an include of one file in the element Server, got 0"):
        fill(tmp_path, Server='<Server include="z.xml"/>').load()


def test_what_a_file_includes_is_beside_it_only_if_its_path_was_absolute(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    fill(tmp_path / "more", x="<VirtualHost><Name>a</Name><Host include='host.xml'/></VirtualHost>")
    fill(tmp_path / "more", host="<Host><Names><Name>beside</Name></Names></Host>")
    fill(tmp_path, host="<Host><Names><Name>above</Name></Names></Host>")
    for pattern, name in ((f"{tmp_path}/more/x.xml", "beside"), ("more/x.xml", "above")):
        hosts = fill(tmp_path, Server=SERVER.format(INCLUDE.format(pattern))).load()[0]
        assert hosts.findtext("VirtualHost/Host/Names/Name") == name


def test_the_root_element_of_the_name_is_included(tmp_path: Path) -> None:
    files = {"VHost_a": f"text<Other/>{vhost('a')}{vhost('b')}"}
    assert names(fill(tmp_path, Server=SERVER.format(INCLUDE.format("VHost*.xml")), **files)) == ["a VHost_a.xml"]


def test_cycles_are_refused(tmp_path: Path) -> None:
    directory = fill(
        tmp_path,
        Server=SERVER.format(INCLUDE.format("VHost_a.xml")),
        VHost_a='<VirtualHost><Host include="b.xml"/></VirtualHost>',
        b='<Host><TLS include="c.xml"/></Host>',
        c='<TLS><Host include="b.xml"/></TLS>',
    )
    with pytest.raises(BadFile, match=r"b\.xml: expected no file that includes itself"):
        directory.load()
    with pytest.raises(BadFile, match="includes itself"):
        fill(tmp_path, Server='<Server><Server include="Server.xml"/></Server>').load()


def test_the_number_of_included_files_is_bounded(tmp_path: Path) -> None:
    """Without a bound, 20 small files would be read a million times."""
    twice = "<A>" + '<A include="{0}.xml"/>' * 2 + "</A>"
    files = {f"f{number}": twice.format(f"f{number + 1}") for number in range(20)}
    with pytest.raises(BadFile, match="at most 1000 included files"):
        fill(tmp_path, **files, f20="<A/>").load("f0.xml", "A")


@pytest.mark.parametrize("pattern", ["../*.xml", "/etc/*.xml", "sub/../../VHost*.xml", "away/*.xml"])
def test_an_include_outside_of_the_directory_is_refused(tmp_path: Path, pattern: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "away").symlink_to(tmp_path)
    directory = fill(inside, Server=SERVER.format("\n" + INCLUDE.format(pattern)))
    fill(tmp_path, VHost_a=vhost("a"))
    with pytest.raises(BadFile, match=r"Server\.xml:2: expected an include inside of"):
        directory.load()


def test_an_absolute_include_inside_of_the_directory_is_read(tmp_path: Path) -> None:
    directory = fill(tmp_path, Server=SERVER.format(INCLUDE.format(f"{tmp_path}/VHost*.xml")), VHost_a=vhost("a"))
    assert names(directory) == ["a VHost_a.xml"]


def test_an_include_with_a_macro_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="expected an include without macros"):
        fill(tmp_path, Server=SERVER.format(INCLUDE.format("${env:A}.xml"))).load()


def test_links(tmp_path: Path) -> None:
    """A link inside of the directory is followed, one to the outside is refused, one to nothing is no file."""
    inside = tmp_path / "inside"
    inside.mkdir()
    fill(tmp_path, secret=vhost("secret"))
    directory = fill(inside, Server=SERVER.format(INCLUDE.format("VHost*.xml")), host=vhost("a"))
    (inside / "VHost_a.xml").symlink_to("host.xml")
    (inside / "VHost_b.xml").symlink_to("nothing.xml")
    assert names(directory) == ["a VHost_a.xml"]
    (inside / "VHost_c.xml").symlink_to("../secret.xml")
    for attempt in (
        directory.load,
        lambda: directory.read("VHost_c.xml"),
        lambda: directory.write("VHost_c.xml", b"x", None),
    ):
        with pytest.raises(BadFile, match=r"VHost_c\.xml: expected a file inside of"):
            attempt()
    assert "secret" in (tmp_path / "secret.xml").read_text()


@pytest.mark.parametrize("name", ["../a.xml", "/etc/passwd", "", "maps/../../a.xml"])
def test_no_file_outside_of_the_directory_is_touched(tmp_path: Path, name: str) -> None:
    directory = Directory(str(tmp_path))
    for attempt in (
        directory.read,
        lambda one: directory.remove(one, None),
        lambda one: directory.write(one, b"x", None),
    ):
        with pytest.raises(BadFile, match="expected a file inside of"):
            attempt(name)


def test_another_element_is_not_included(tmp_path: Path) -> None:
    directory = fill(tmp_path, Server=SERVER.format(INCLUDE.format("VHost*.xml")), VHost_a="\n<Server/>")
    with pytest.raises(BadFile, match=r"VHost_a\.xml:2: expected the element VirtualHost, got Server"):
        directory.load()


def test_files_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = Directory(str(tmp_path))
    assert directory.read("Server.xml") is None
    with pytest.raises(OmeError, match=r"There is no file Server\.xml") as caught:
        directory.load()
    assert caught.value.kind == "config_file"
    os.mkfifo(tmp_path / "pipe.xml")
    (tmp_path / "folder.xml").mkdir()
    for name in ("pipe.xml", "folder.xml"):
        with pytest.raises(BadFile, match="expected a regular file"):
            directory.read(name)
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)  # the path of a socket is short
        server.bind("socket.xml")
        with pytest.raises(OmeError, match=r"Could not read socket\.xml"):
            directory.read("socket.xml")
    (tmp_path / "large.xml").write_bytes(b" " * (document.LARGEST + 1))
    with pytest.raises(BadFile, match="expected at most"):
        directory.read("large.xml")
    with pytest.raises(OmeError, match=r"Could not write .*/x/y: "):
        Directory(str(tmp_path / "nowhere")).write(str(tmp_path / "nowhere/x/y"), b"x", None)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_private(tmp_path: Path) -> None:
    directory = Directory(str(tmp_path))
    old = os.umask(0)
    try:
        directory.write("VHost_a.xml", "é".encode(), None)
        directory.write("maps/v/a/push_map.xml", b"y", None)
    finally:
        os.umask(old)
    assert (tmp_path / "VHost_a.xml").read_text(encoding="utf-8") == "é"
    assert mode(tmp_path / "VHost_a.xml") == mode(tmp_path / "maps/v/a/push_map.xml") == 0o600
    assert mode(tmp_path / "maps/v") == 0o755
    assert sorted(os.listdir(tmp_path)) == ["VHost_a.xml", "maps"]


def test_a_file_keeps_its_mode_owner_and_link(tmp_path: Path) -> None:
    directory = fill(tmp_path, target="old")
    (tmp_path / "VHost_a.xml").symlink_to("target.xml")
    (tmp_path / "target.xml").chmod(0o640)
    if os.geteuid() == 0:
        os.chown(tmp_path / "target.xml", 1234, 1235)
    before = (tmp_path / "target.xml").stat()
    directory.write("VHost_a.xml", b"new", b"old")
    after = (tmp_path / "target.xml").stat()
    assert (tmp_path / "VHost_a.xml").is_symlink() and (tmp_path / "target.xml").read_text() == "new"
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert after.st_ino != before.st_ino


def test_an_owner_that_cannot_be_kept_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = fill(tmp_path, a="old")
    real = os.fstat

    def of_another_user(descriptor: int) -> Any:
        return os.stat_result((*real(descriptor)[:4], 4321, *real(descriptor)[5:]))

    def forbidden(*_arguments: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fstat", of_another_user)
    monkeypatch.setattr(os, "fchown", forbidden)
    with pytest.raises(OmeError, match=r"a\.xml: Operation not permitted") as caught:
        directory.write("a.xml", b"new", b"old")
    assert caught.value.kind == "config_file"
    assert (tmp_path / "a.xml").read_text() == "old" and os.listdir(tmp_path) == ["a.xml"]


def test_root_gives_new_files_to_the_owner_of_the_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    real = os.stat
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "chown", lambda path, uid, gid: given.append((os.path.basename(path), uid, gid)))
    monkeypatch.setattr(os, "fchown", lambda _descriptor, uid, gid: given.append((uid, gid)))

    def owned(path: Any, **options: Any) -> Any:
        found = real(path, **options)
        return os.stat_result((*found[:4], 71, 72, *found[6:])) if path == str(tmp_path) else found

    monkeypatch.setattr(directory_module.os, "stat", owned)
    Directory(str(tmp_path)).write("maps/a.xml", b"x", None)
    assert given == [("maps", 71, 72), (71, 72)]


class Unwritable(io.FileIO):
    """A file on a disk that takes no more."""

    error: BaseException

    def write(self, _data: Any) -> int:
        raise self.error


@pytest.mark.parametrize("step", ["open", "fchown", "fchmod", "write", "fsync", "read", "replace"])
@pytest.mark.parametrize(
    "error",
    [OSError(number, os.strerror(number)) for number in (errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO)]
    + [KeyboardInterrupt()],
    ids=lambda error: getattr(error, "strerror", "interrupt"),
)
def test_a_failure_at_any_step_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    directory = fill(tmp_path, VHost_a="old")
    failed: list[str] = []

    def fail(*_arguments: Any, **_options: Any) -> Any:
        failed.append(step)
        raise error

    if step == "write":
        Unwritable.error = error
        monkeypatch.setattr(atomic_files, "open", lambda descriptor, _mode: Unwritable(descriptor, "wb"), raising=False)
    elif step == "read":
        monkeypatch.setattr(Directory, "read", fail)
    elif step == "fchown":  # for a file of another user
        monkeypatch.setattr(atomic_files, "access", lambda *_files, private: Access(0o600, 4321, 4321))
        monkeypatch.setattr(os, "fchown", fail)
    else:
        monkeypatch.setattr(os, step, fail)
    with pytest.raises((OmeError, KeyboardInterrupt)) as caught:
        directory.write("VHost_a.xml", b"new", b"old")
    monkeypatch.undo()
    assert step == "write" or failed
    assert (tmp_path / "VHost_a.xml").read_text() == "old"
    assert os.listdir(tmp_path) == ["VHost_a.xml"]
    if isinstance(error, OSError):
        assert isinstance(caught.value, OmeError) and caught.value.kind == "config_file"
        assert f"VHost_a.xml: {error.strerror}" in str(caught.value)


def test_a_file_that_something_else_has_changed_is_left(tmp_path: Path) -> None:
    directory = fill(tmp_path, VHost_a="other")
    (tmp_path / "maps").mkdir()
    message = r"a\.xml was changed by something else since it was read; .* Run the task again\.$"
    for name, expected in (("VHost_a.xml", b"old"), ("VHost_a.xml", None), ("maps/a.xml", b"old")):
        with pytest.raises(OmeError, match=f"Could not write .*{message}") as caught:
            directory.write(name, b"new", expected)
        assert caught.value.kind == "config_file"
    for expected in (b"old", None):
        with pytest.raises(OmeError, match=f"Could not remove .*{message}"):
            directory.remove("VHost_a.xml", expected)
    assert (tmp_path / "VHost_a.xml").read_text() == "other"
    assert sorted(os.listdir(tmp_path)) == ["VHost_a.xml", "maps"] and not os.listdir(tmp_path / "maps")


def test_the_change_of_another_that_comes_last_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = fill(tmp_path, VHost_a="old")
    fsync = os.fsync

    def changed(descriptor: int) -> None:
        fsync(descriptor)
        (tmp_path / "VHost_a.xml").write_text("other")

    monkeypatch.setattr(os, "fsync", changed)
    with pytest.raises(OmeError, match="changed by something else"):
        directory.write("VHost_a.xml", b"new", b"old")
    assert (tmp_path / "VHost_a.xml").read_text() == "other" and os.listdir(tmp_path) == ["VHost_a.xml"]


def test_what_was_read_first_is_what_a_write_begins_with(tmp_path: Path) -> None:
    directory = fill(tmp_path, VHost_a="old")
    assert directory.as_read("VHost_a.xml") is None
    directory.read("VHost_a.xml")
    (tmp_path / "VHost_a.xml").write_text("other")
    directory.read("VHost_a.xml")
    assert directory.as_read("VHost_a.xml") == b"old"
    with pytest.raises(OmeError, match="changed by something else"):
        directory.write("VHost_a.xml", b"new", directory.as_read("VHost_a.xml"))
    directory.write("VHost_a.xml", b"new", b"other")
    assert directory.as_read("VHost_a.xml") == b"new"
    directory.remove("VHost_a.xml", b"new")
    assert directory.as_read("VHost_a.xml") is None


def test_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    data = "\ufeff<a>é</a>\r\n".encode("utf-16")
    directory = Directory(str(tmp_path))
    directory.write("a.xml", data, None)
    assert (tmp_path / "a.xml").read_bytes() == data


def test_a_file_is_complete_before_it_gets_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = fill(tmp_path, VHost_a="old")
    steps: list[str] = []
    fsync, replace = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        fsync(descriptor)
        steps.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")

    def replaced(source: str, target: str) -> None:
        assert Path(source).read_text() == "new" and Path(target).read_text() == "old"
        assert not Path(source).match("*.xml") and Path(source).parent == tmp_path
        steps.append("name")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    directory.write("VHost_a.xml", b"new", b"old")
    assert steps == ["file", "name", "folder"]


def test_removal_leaves_no_empty_folders(tmp_path: Path) -> None:
    directory = Directory(str(tmp_path))
    directory.write("maps/v/a/push_map.xml", b"x", None)
    directory.write("maps/w/record_map.xml", b"x", None)
    directory.remove("maps/v/a/push_map.xml", b"x")
    directory.remove("maps/v/a/push_map.xml", b"x")
    assert os.listdir(tmp_path / "maps") == ["w"]
    directory.remove("maps/w/record_map.xml", b"x")
    assert tmp_path.is_dir() and os.listdir(tmp_path) == []
    (tmp_path / "folder").mkdir()
    with pytest.raises(OmeError, match="Could not remove folder"):
        directory.remove("folder", None)
    fill(tmp_path, target="x")
    (tmp_path / "link.xml").symlink_to("target.xml")
    directory.remove("link.xml", b"x")
    assert sorted(os.listdir(tmp_path)) == ["folder", "target.xml"]


def test_files_of_this_collection_are_known_by_their_notice(tmp_path: Path) -> None:
    directory = fill(tmp_path, VHost_a=virtual_host_file.render({"name": "a"}), VHost_b=vhost("b"), other=vhost("c"))
    directory.write("other_ours.xml", virtual_host_file.render({"name": "d"}).encode(), None)
    assert directory.written_here("VHost_") == ["VHost_a.xml"]
    with pytest.raises(OmeError, match="Could not read"):
        Directory(str(tmp_path / "nowhere")).written_here("VHost_")


SECRET = "c4nary-one"
CHANGED = "c4nary-two"


def with_secret(secret: str) -> dict[str, Any]:
    return {
        "name": "a",
        "signed_policy": {"secret_key": secret},
        "admission_webhooks": {"control_server_url": f"https://u:{secret}@h.example.com/?token={secret}"},
        "applications": [
            {
                "name": "b",
                "transcode_webhook": {"secret_key": secret},
                "extra": {"newThing": {"apiToken": secret, "size": 3}},
            }
        ],
    }


def diff_of(kind: FileKind, before: Any, after: Any) -> tuple[str, str]:
    """Return both sides of the diff of a file whose value changes."""
    root = document.parse(kind.render(before), "file.xml").root
    editor = Editor()
    editor.show(kind.shown, root)
    kind.edit(editor, root, after)
    (edited,) = editor.files()
    return edited.shown_before, edited.shown_after


def test_a_diff_masks_secrets_and_shows_that_they_change() -> None:
    before, after = diff_of(VirtualHostFile(), with_secret(SECRET), with_secret(CHANGED))
    assert "c4nary" not in before + after
    assert after.count("(changed)") == 4 and "(changed)" not in before
    assert after.replace(" (changed)", "") == before
    assert "<Size>3</Size>" in after


def test_a_diff_of_a_file_that_is_made_or_removed() -> None:
    made = virtual_host_file.new(with_secret(SECRET))
    root = document.parse(made.after, "VHost_a.xml").root
    assert made.shown_before == "" and made.private
    assert made.shown_after == masked_diff.masked_text(VIRTUAL_HOST_FILE, root)
    assert "<Name>b</Name>" in made.shown_after and "c4nary" not in made.shown_after
    assert not virtual_host_file.new({"name": "a"}).private


def test_a_diff_of_a_map_masks_stream_keys() -> None:
    def jobs(key: str) -> list[dict[str, Any]]:
        return [{"id": "1", "stream": {"name": "s"}, "protocol": "rtmp", "url": "rtmp://h/a", "stream_key": key}]

    before, after = diff_of(MapFile(PUSH_MAP, "v", "a"), jobs(SECRET), jobs(CHANGED))
    assert "c4nary" not in before + after and "(changed)</StreamKey>" in after


def test_the_temporary_files_of_a_run_that_was_killed_are_removed_by_the_next_one(tmp_path: Path) -> None:
    (tmp_path / "maps" / "a" / "live").mkdir(parents=True)
    ours = [".ansible-ovenmediaengine-abc_1234.tmp", "maps/a/live/.ansible-ovenmediaengine-xyz_1234.tmp"]
    of_2_0 = {".ansible-abcd1234.tmp": "", ".ansible-abcd1235.tmp": f"<!-- {option_xml.NOTICE} -->"}
    others = {".ansible-notes.tmp": "", ".ansible-abcd1236.tmp": "text", "x.tmp": "", ".ansible_tmpx": ""}
    for name, text in {**dict.fromkeys(ours, "<Ser"), **of_2_0, **others}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / ".ansible-ovenmediaengine-link.tmp").symlink_to(tmp_path / "x.tmp")
    # Another run still writes this one.
    writes = tmp_path / ".ansible-ovenmediaengine-writes.tmp"
    with writes.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        Directory(str(tmp_path)).remove_leftovers()
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if not path.is_dir() or path.is_symlink()}
    assert left == {*others, ".ansible-ovenmediaengine-link.tmp", writes.name}
