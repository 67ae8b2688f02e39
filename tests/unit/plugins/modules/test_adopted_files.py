# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A configuration that was imported is written back byte for byte as it was, and its changes are edits."""

from __future__ import annotations

import copy
import difflib
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import virtual_host_file
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.directory import FileTexts
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.importer import Importer
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import application
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, RECORDED_MEDIA
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._config.meaning import (
    virtual_hosts_with_applications,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._config.rough_documents import (
    roughened,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._config.test_samples import (
    CASES,
    sample_file,
)
from hypothesis import HealthCheck, given, settings

SECRET = "canary-in-the-file"
PROFILES = """<OutputProfiles><OutputProfile><Name>p</Name><OutputStreamName>${OriginStreamName}</OutputStreamName>
      <Encodes><Video><Bypass>true</Bypass></Video></Encodes></OutputProfile></OutputProfiles>"""
FILES = {
    "Server.xml": f"""<?xml version="1.0" encoding="UTF-8" ?>

<!-- our server: {SECRET} -->
<Server version="8">
    <Name>OvenMediaEngine</Name>
    <Type>origin</Type>
    <IP>*</IP>
    <PrivacyProtection>False</PrivacyProtection>
    <Bind>
        <Managers><API><Port>8081</Port><!-- <TLSPort>8082</TLSPort> --></API></Managers>
        <Providers>
            <SRT>
                <Port>${{env:OME_SRT_PROV_PORT:9999}}</Port>
                <Options>
                    <Option><Key>SRTO_PASSPHRASE</Key><Value>{SECRET}</Value></Option>
                    <Option><Key>SRTO_LATENCY</Key><Value>20</Value></Option>
                </Options>
            </SRT>
        </Providers>
        <Publishers include="publishers.xml" />
    </Bind>
    <Managers>
        <Host><Names><Name>*</Name></Names></Host>
        <API><AccessToken>{SECRET}</AccessToken><CrossDomains><Url>*.airensoft.com</Url></CrossDomains></API>
    </Managers>
    <VirtualHosts>
        <VirtualHost include="VHost_*.xml" />
        <!-- the one of the sample -->
        <VirtualHost>
            <Name>default</Name>
            <Distribution>ovenmediaengine.com</Distribution>
            <Host><Names><Name>*</Name></Names>
            </Host>
            <Applications>
                <Application ignore="true"><Name>{SECRET}</Name></Application>
                <Application>
                    <Type>live</Type><Name>app</Name>
                    {PROFILES}
                    <Providers><RTMP /></Providers>
                    <Publishers><LLHLS><ChunkDuration>0.5</ChunkDuration></LLHLS>
                        <Push><StreamMap><Enable>true</Enable><Path>push/app.xml</Path></StreamMap></Push></Publishers>
                </Application>
            </Applications>
        </VirtualHost>
    </VirtualHosts>
</Server>
""",
    "publishers.xml": '<Publishers version="8">\n\t<LLHLS><Port>3333</Port></LLHLS></Publishers>',
    "Logger.xml": '<?xml version="1.0"?>\n<Logger version="2">\n\t<Path>/var/log/ovenmediaengine</Path>\n'
    "\t<Tag name=\".*\"  level='info'/><!-- all -->\n</Logger>\n",
    "VHost_mine.xml": f"""<VirtualHost><Name>tenant</Name><Host><Names><Name>t.example.com</Name></Names>
  <TLS><CertPath>cert.pem</CertPath><KeyPath>/keys/key.pem</KeyPath></TLS></Host>
  <Applications><Application><Name>live</Name><Type>live</Type><Providers><SRT/></Providers>{PROFILES}
  <Publishers><LLHLS/></Publishers></Application></Applications></VirtualHost>""",
    "push/app.xml": f"""<PushInfo>
  <Push><Enable>false</Enable><Id>off</Id><StreamKey>{SECRET}</StreamKey></Push>
  <Push><StreamName>main</StreamName><Id>1</Id><Enable>true</Enable><Protocol>rtmp</Protocol>
    <Url>rtmp://h.example.com/app</Url><StreamKey>{SECRET}</StreamKey><Note>{SECRET}</Note></Push>
</PushInfo>
""",
}


def write(folder: Path, files: dict[str, Any]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text("latin-1") for path in folder.rglob("*.xml")}


def imported(folder: Path) -> dict[str, Any]:
    """Return the options of server_config for a configuration directory."""
    texts = {name: (folder / name).read_bytes() for name in contents(folder)}
    found = Importer(
        FileTexts(str(folder), {name: len(data) for name, data in texts.items()}, {}, texts, {}), str(folder)
    )
    read = found.read()
    jobs = {"push_tasks": read.jobs["push"], "records": read.jobs["file"]}
    logger = {} if read.logger is None else {"logger": read.logger}
    return {"server": read.server, "vhosts": read.vhosts, **logger, **jobs}


def config(folder: Path, *, version: str = NEWEST, **options: Any) -> running_modules.ModuleRun:
    specified = {"config_dir": str(folder), "version": version, **options}
    run = running_modules.run_module("server_config", copy.deepcopy(specified))
    assert SECRET not in json.dumps({key: run[key] for key in run if key != "invocation"})
    return run


def test_an_imported_configuration_is_written_back_as_it_was(tmp_path: Path) -> None:
    folder = write(tmp_path, FILES)
    before = contents(folder)
    run = config(folder, **imported(folder))
    assert not run.failed, run["msg"]
    assert not run["changed"] and contents(folder) == before
    assert {file["state"] for file in run["files"]} == {"unchanged"}


def test_a_change_of_an_imported_configuration_is_an_edit(tmp_path: Path) -> None:
    folder = write(tmp_path, FILES)
    before = contents(folder)
    options = imported(folder)
    options["server"]["bind"]["publishers"]["llhls"]["port"] = "3334"
    options["server"]["managers"]["api"]["access_token"] = f"{SECRET}-2"
    options["logger"]["tags"].append({"name": "SRT", "level": "critical"})
    default = next(vhost for vhost in options["vhosts"] if vhost["name"] == "default")
    default["applications"][0]["publishers"]["llhls"]["chunk_duration"] = 0.2
    run = config(folder, **options)
    assert not run.failed, run["msg"]
    after = contents(folder)
    assert [name for name in before if before[name] != after[name]] and run["restart_required"]
    lines = [
        line
        for name in sorted(before)
        for line in difflib.ndiff(before[name].splitlines(), after[name].splitlines())
        if line[0] in "+-"
    ]
    assert [line.replace(" ", "").replace("\t", "") for line in lines] == [
        '+<Taglevel="critical"name="SRT"/>',
        f"-<API><AccessToken>{SECRET}</AccessToken><CrossDomains><Url>*.airensoft.com</Url></CrossDomains></API>",
        f"+<API><AccessToken>{SECRET}-2</AccessToken><CrossDomains><Url>*.airensoft.com</Url></CrossDomains></API>",
        "-<Publishers><LLHLS><ChunkDuration>0.5</ChunkDuration></LLHLS>",
        "+<Publishers><LLHLS><ChunkDuration>0.2</ChunkDuration></LLHLS>",
        "-<LLHLS><Port>3333</Port></LLHLS></Publishers>",
        "+<LLHLS><Port>3334</Port></LLHLS></Publishers>",
    ]
    assert not config(folder, **options)["changed"]


def test_virtual_hosts_of_server_xml_that_are_not_listed_go_and_those_that_are_omitted_stay(tmp_path: Path) -> None:
    folder = write(tmp_path, FILES)
    options = imported(folder)
    run = config(folder, server=options["server"], logger=options["logger"])
    assert not run["changed"] and not run.warnings
    run = config(folder, server=options["server"], vhosts=[])
    assert run["changed"] and any("does not list" in text and "default" in text for text in run.warnings)
    left = contents(folder)["Server.xml"]
    assert "<!-- the one of the sample -->" in left and "<Name>default</Name>" not in left
    assert '<VirtualHost include="VHost_*.xml" />' in left and (folder / "VHost_mine.xml").exists()


@pytest.mark.parametrize("include", ["../outside.xml", "${env:NAME}.xml"])
def test_a_file_that_cannot_be_followed_is_not_replaced(tmp_path: Path, include: str) -> None:
    files = {**FILES, "Server.xml": FILES["Server.xml"].replace("publishers.xml", include)}
    folder = write(tmp_path, files)
    before = contents(folder)
    run = config(folder, server={"name": "x"})
    assert run.failed and "Server.xml:" in run["msg"] and "include" in run["msg"] and contents(folder) == before


@pytest.mark.parametrize(("name", "version"), CASES)
def test_a_sample_is_written_back_as_it_was(tmp_path: Path, name: str, version: str) -> None:
    sample = sample_file(name, version).read_text(encoding="utf-8")
    server = FILES["Server.xml"].split("    <VirtualHosts>", maxsplit=1)[0].replace(' include="publishers.xml" /', "/")
    folder = write(tmp_path, {"Server.xml": f"{server}{sample}</Server>"})
    before = contents(folder)
    run = config(folder, version=version, **imported(folder))
    assert not run.failed, run["msg"]
    assert contents(folder) == before
    assert not run["changed"]


def check_virtual_host(data: st.DataObject, version: str) -> None:
    vhost = application.completed_virtual_host(data.draw(virtual_hosts_with_applications(version)))
    file = data.draw(roughened(virtual_host_file.render(vhost)))
    with tempfile.TemporaryDirectory() as name:
        server = FILES["Server.xml"].split("<!-- the one", maxsplit=1)[0] + "</VirtualHosts></Server>"
        folder = write(Path(name), {**FILES, "Server.xml": server, "VHost_x.xml": file})
        (folder / "VHost_mine.xml").unlink()
        shutil.rmtree(folder / "push")
        before = contents(folder)
        run = config(folder, version=version, **imported(folder))
        assert not run.failed, run["msg"]
        assert contents(folder) == before


FAST = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))


@FAST
@given(st.data())
def test_a_virtual_host_is_written_back_as_it_was(data: st.DataObject) -> None:
    check_virtual_host(data, NEWEST)


@pytest.mark.exhaustive
@LONG
@given(st.data())
@pytest.mark.parametrize("version", RECORDED_MEDIA)
def test_many_virtual_hosts_are_written_back_as_they_were(version: str, data: st.DataObject) -> None:
    check_virtual_host(data, version)
