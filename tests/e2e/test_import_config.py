# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role and the playbook import_config, and the way back by provision and server_config, as a user runs them."""

from __future__ import annotations

import json
import pathlib
import re
import typing as t

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.control import snapshot

from .conftest import LOCAL, REPOSITORY, TOKEN, Project, Run
from .test_documents import blocks

SERVER = f"""<?xml version="1.0" encoding="UTF-8"?>
<Server version="8">
  <Name>media-1</Name>
  <Type>origin</Type>
  <IP>*</IP>
  <Bind>
    <Managers><API><Port>8081</Port></API></Managers>
    <Providers><RTMP><Port>${{env:RTMP_PORT:1935}}</Port></RTMP></Providers>
    <Publishers><LLHLS><Port>3333</Port></LLHLS></Publishers>
  </Bind>
  <Managers>
    <Host><Names><Name>*</Name></Names></Host>
    <API><AccessToken>{TOKEN}</AccessToken></API>
  </Managers>
  <VirtualHosts>
    <VirtualHost include="VHost_*.xml" />
  </VirtualHosts>
</Server>
"""
# Hand-written: a comment, an element of nobody, and a map beside it.
VHOST = """<VirtualHost>
  <!-- Our first tenant -->
  <Name>tenant-a</Name>
  <Host><Names><Name>live.example.com</Name></Names></Host>
  <SignedPolicy>
    <PolicyQueryKeyName>policy</PolicyQueryKeyName>
    <SignatureQueryKeyName>signature</SignatureQueryKeyName>
    <SecretKey>canary-policy</SecretKey><Enables><Publishers>llhls</Publishers></Enables>
  </SignedPolicy>
  <Nonsense>canary-nonsense</Nonsense>
  <Applications>
    <Application>
      <Name>live</Name>
      <Type>live</Type>
      <Providers><RTMP /></Providers>
      <Publishers>
        <LLHLS />
        <Push><StreamMap><Enable>true</Enable><Path>push_map.xml</Path></StreamMap></Push>
      </Publishers>
      <OutputProfiles>
        <OutputProfile>
          <Name>bypass</Name>
          <OutputStreamName>${OriginStreamName}</OutputStreamName>
          <Encodes><Video><Bypass>true</Bypass></Video><Audio><Bypass>true</Bypass></Audio></Encodes>
        </OutputProfile>
      </OutputProfiles>
    </Application>
  </Applications>
</VirtualHost>
"""
MAP = """<PushInfo>
  <Push>
    <Enable>true</Enable>
    <StreamName>main</StreamName>
    <Protocol>rtmp</Protocol>
    <Url>rtmp://live.platform.example.com/app</Url>
    <StreamKey>canary-stream-key</StreamKey>
  </Push>
</PushInfo>
"""
NAMES = "<Host><Names><Name>live.example.com</Name></Names></Host>"
LOGGER = '<Logger version="2"><Path>/var/log/ome</Path><Tag name=".*" level="info" /></Logger>\n'
SECRETS = {
    "ovenmediaengine_secret_server_managers_api_access_token": TOKEN,
    "ovenmediaengine_secret_tenant_a_signed_policy_secret_key": "canary-policy",
    "ovenmediaengine_secret_tenant_a_live_map_1_stream_key": "canary-stream-key",
}
LINE = (
    "virtual hosts: 1; applications: 1; push tasks: 1; recordings: 0; secrets to fill in: 3; "
    "left out: element VirtualHost(tenant-a).Nonsense (VHost_tenant-a.xml, line 10)"
)


@pytest.fixture
def conf(project: Project) -> pathlib.Path:
    """Provide a configuration directory that somebody wrote, and an inventory with its host."""
    folder = project.directory / "conf"
    folder.mkdir()
    files = {"Server": SERVER, "VHost_tenant-a": VHOST, "push_map": MAP, "Logger": LOGGER}
    for name, text in files.items():
        (folder / f"{name}.xml").write_text(text, encoding="utf-8")
    inventory(project, "one")
    return folder


def inventory(project: Project, *hosts: str, **variables: t.Any) -> None:
    found = {
        "hosts": dict.fromkeys(hosts, {}),
        "vars": {**LOCAL, "import_config_dir": str(project.directory / "conf"), **variables},
    }
    (project.directory / "inventory.json").write_text(json.dumps({"all": found}), encoding="utf-8")


def run(project: Project, *arguments: str, secrets: bool = False) -> Run:
    """Run the playbook; nothing that it prints may be secret, and nothing that it writes."""
    done = project.play("streamops.ovenmediaengine.import_config", "-i", "inventory.json", *arguments)
    written = [path.read_text(encoding="utf-8") for path in project.directory.glob("ovenmediaengine-config-*")]
    text = done.output + ("" if secrets else "".join(written))
    assert [line for line in text.splitlines() if "canary" in line] == []
    return done


@pytest.mark.exhaustive
def test_a_hand_written_server_is_adopted(project: Project, conf: pathlib.Path) -> None:
    file = project.directory / "ovenmediaengine-config-one.yml"
    before = {path.name: path.read_bytes() for path in conf.iterdir()}
    checked = run(project, "--check", "--diff")
    assert checked.status == 0, checked.output
    assert checked.summary("one") == f"Check mode, this would be written: {LINE}"
    assert "+ovenmediaengine_vhosts:" in checked.output and not file.exists()

    first = run(project, "-vvv")
    assert first.status == 0, first.output
    guide = (REPOSITORY / "docs/docsite/rst/guide_adopt.rst").read_text(encoding="utf-8")
    assert first.summary("one") == LINE and f"    {LINE}\n" in guide
    assert first.recap["one"]["changed"] == 1
    assert file.stat().st_mode & 0o777 == 0o600
    text = file.read_text(encoding="utf-8")
    assert "\n#   element VirtualHost(tenant-a).Nonsense (VHost_tenant-a.xml, line 10): the collection has no" in text
    assert set(re.findall(r"^# (ovenmediaengine_secret_\w+): !vault \|$", text, re.MULTILINE)) == set(SECRETS)
    again = run(project, "--diff")
    assert again.recap["one"]["changed"] == 0 and file.read_text(encoding="utf-8") == text
    assert {path.name: path.read_bytes() for path in conf.iterdir()} == before

    # The variables write files of equal meaning: importing these gives the same variables.
    (project.directory / "secrets.json").write_text(json.dumps(SECRETS), encoding="utf-8")
    task = {
        "streamops.ovenmediaengine.server_config": {
            "config_dir": "{{ new_dir }}",
            "version": NEWEST,
            "server": "{{ server_settings | combine(token, recursive=true) }}",
            "logger": "{{ server_logger }}",
            "vhosts": "{{ ovenmediaengine_vhosts }}",
            "push_tasks": "{{ ovenmediaengine_push_tasks }}",
        },
        "vars": {"token": {"managers": {"api": {"access_token": "{{ ovenmediaengine_api_token }}"}}}},
    }
    play = [{"hosts": "all", "gather_facts": False, "tasks": [task]}]
    (project.directory / "play.json").write_text(json.dumps(play), encoding="utf-8")
    new = project.directory / "new"
    given = ["-i", "inventory.json", "-e", f"@{file.name}", "-e", f"new_dir={new}"]
    unfilled = project.play("play.json", *given)
    assert unfilled.status == 2 and re.search(r"'ovenmediaengine_secret_\w+' is undefined", unfilled.output)
    assert not new.exists()
    made = project.play("play.json", *given, "-e", "@secrets.json")
    assert made.status == 0, made.output
    assert sorted(path.name for path in new.iterdir()) == ["Logger.xml", "Server.xml", "VHost_tenant-a.xml", "maps"]
    third = run(project, "-e", f"import_config_dir={new}", "-e", "import_config_file=new.yml")
    assert third.status == 0, third.output
    assert third.summary("one").endswith("secrets to fill in: 3; left out: nothing")
    loaded = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in (file, project.directory / "new.yml")]
    assert loaded[0] == loaded[1]

    # A server that is empty gets the same objects through its API.
    with Simulator(NEWEST, token=TOKEN) as sim:
        arguments = ["-e", f"ovenmediaengine_api_url={sim.url}", "-e", f"@{file.name}", "-e", "@secrets.json"]
        back = project.provision(*arguments)
        assert back.status == 0, back.output
        assert sim.state.virtual_hosts["tenant-a"].config["signedPolicy"]["secretKey"] == "canary-policy"
        (pushed,) = snapshot(sim.state)["tasks"]
        assert (pushed["vhost"], pushed["app"], pushed["streamKey"]) == ("tenant-a", "live", "canary-stream-key")
        assert project.provision(*arguments).recap["one"]["changed"] == 0


@pytest.mark.exhaustive
def test_secrets_are_written_only_if_that_is_asked_for(project: Project, conf: pathlib.Path) -> None:
    file = project.directory / "ovenmediaengine-config-one.yml"
    shown = run(project, "--diff", "-vvv", "-e", "import_config_show_secrets=true", secrets=True)
    assert shown.status == 0, shown.output
    assert "secrets to fill in: 0" in shown.summary("one")
    text = file.read_text(encoding="utf-8")
    assert "# It contains secrets in clear text." in text and "secret_key: canary-policy" in text
    assert file.stat().st_mode & 0o777 == 0o600
    # The next run replaces the file, keeps no copy of the secrets and does not show them.
    hidden = run(project, "--diff")
    assert hidden.status == 0 and hidden.recap["one"]["changed"] == 1
    assert [path.name for path in project.directory.glob("ovenmediaengine-config-*")] == [file.name]

    # An edited file can have a secret: it is kept, and not shown.
    file.write_text(file.read_text(encoding="utf-8") + "mine: canary-mine\n", encoding="utf-8")
    edited = run(project, "--diff", secrets=True)
    assert edited.status == 0 and edited.recap["one"]["changed"] == 1
    assert "canary" not in file.read_text(encoding="utf-8")
    (kept,) = project.directory.glob("ovenmediaengine-config-one.yml.*")
    assert "canary-mine" in kept.read_text(encoding="utf-8")


@pytest.mark.exhaustive
def test_values_of_environment_variables_are_in_the_file_and_never_shown(project: Project, conf: pathlib.Path) -> None:
    (project.directory / "ome.service").write_text('[Service]\nEnvironment="RTMP_PORT=canary-port"\n', encoding="utf-8")
    named = ("-e", "import_config_environment_from=../ome.service")
    for arguments in (("--check",), ("-vvv",), ()):
        done = run(project, "--diff", *arguments, *named, secrets=True)
        assert done.status == 0, done.output
    file = project.directory / "ovenmediaengine-config-one.yml"
    assert yaml.safe_load(file.read_text(encoding="utf-8"))["server_environment"] == {"RTMP_PORT": "canary-port"}
    assert file.stat().st_mode & 0o777 == 0o600
    # The next run removes the values, and does not show them.
    assert run(project, "--diff").recap["one"]["changed"] == 1


@pytest.mark.exhaustive
def test_false_on_the_command_line_is_no(project: Project, conf: pathlib.Path) -> None:
    assert run(project).status == 0
    again = run(project, "--diff", "-e", "import_config_show_secrets=false")
    assert again.status == 0 and again.recap["one"]["changed"] == 0, again.output
    text = (project.directory / "ovenmediaengine-config-one.yml").read_text(encoding="utf-8")
    assert "# It contains no secrets:" in text and "in clear text" not in text


@pytest.mark.exhaustive
def test_the_directory_can_be_in_a_home(project: Project, conf: pathlib.Path) -> None:
    """HOME is the directory of the project in these tests."""
    assert run(project).status == 0
    again = run(project, "--diff", "-e", "import_config_dir=~/conf")
    assert again.status == 0 and again.recap["one"]["changed"] == 0, again.output


@pytest.mark.exhaustive
def test_refusals_are_messages(project: Project, conf: pathlib.Path) -> None:
    (conf / "VHost_tenant-a.xml").write_text("<VirtualHost><Name>canary</VirtualHost>")
    failed = run(project)
    assert failed.status == 2
    assert (
        "Could not use the configuration file VHost_tenant-a.xml. VHost_tenant-a.xml:1: expected the end tag </Name>"
        in failed.failure("one")
    )
    (conf / "Server.xml").write_text(SERVER.replace("VHost_*.xml", "../VHost_*.xml"), encoding="utf-8")
    assert "expected an include inside of" in run(project).failure("one")
    missing = run(project, "-e", "import_config_dir=/nonexistent/conf")
    assert "There is no file Server.xml in /nonexistent/conf." in missing.failure("one")
    misspelt = run(project, "-e", "import_config_directory=/etc")
    assert "import_config_directory (did you mean import_config_dir?)" in misspelt.failure("one")
    inventory(project, "one", "two")
    (conf / "Server.xml").write_text(SERVER, encoding="utf-8")
    (conf / "VHost_tenant-a.xml").write_text(VHOST, encoding="utf-8")
    shared = run(project, "-e", "import_config_file=all.yml")
    (second,) = (host for host in ("one", "two") if shared.failure(host))
    first = {"one": "two", "two": "one"}[second]
    assert "Put inventory_hostname into the name of the file" in shared.failure(second)
    assert f"the OvenMediaEngine server of {first}, as" in (project.directory / "all.yml").read_text(encoding="utf-8")
    assert not list(project.directory.glob("ovenmediaengine-config-*"))


def test_what_is_not_written_is_listed_as_in_the_guide(project: Project) -> None:
    (block,) = [block for block in blocks("guide_adopt.rst") if "NOT WRITTEN, because" in block.text]
    placed = {
        19: "<Bind><Publishers><DASH><Port>8080</Port></DASH></Publishers></Bind><VirtualHosts>",
        40: f"<VirtualHost><Name>tenant-a</Name>{NAMES}<Applications><Application><Name>live</Name><Providers>",
        41: "<WebRTC />",
        48: "<WebRTC />",
        49: "</Providers></Application>",
        60: "<Application><Name>my live</Name><Type>live</Type></Application>",
        70: "</Applications></VirtualHost>",
        80: "<VirtualHost><Name>old</Name></VirtualHost>",
        90: "</VirtualHosts></Server>",
    }
    lines = ['<Server version="8">', *(placed.get(number, "") for number in range(2, 91))]
    (project.directory / "conf").mkdir()
    (project.directory / "conf" / "Server.xml").write_text("\n".join(lines), encoding="utf-8")
    inventory(project, "one", import_config_version="")
    assert run(project).status == 0
    written = (project.directory / "ovenmediaengine-config-one.yml").read_text(encoding="utf-8")
    assert block.text.strip() in written, written
