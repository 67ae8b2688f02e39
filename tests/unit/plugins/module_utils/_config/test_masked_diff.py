# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is shown of a file has no secret, wherever somebody puts one, and is the file itself otherwise."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import hypothesis.strategies as st
import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import document, option_xml
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.editor import Editor
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.masked_diff import masked_text
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.server_files import SERVER_XML
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.stream_maps import PUSH_MAP
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.virtual_host_file import (
    VIRTUAL_HOST_FILE,
)
from hypothesis import HealthCheck, given, settings

CANARY = "canary-of-somebody"
VHOST = """<?xml version="1.0" encoding="UTF-8"?>
<VirtualHost>
  <Name>a</Name>
  <SignedPolicy><SecretKey>{0}</SecretKey><PolicyQueryKeyName>p</PolicyQueryKeyName></SignedPolicy>
  <AdmissionWebhooks>
    <ControlServerUrl>https://u:{0}@h.example.com/x?token={0}</ControlServerUrl>
    <SecretKey><![CDATA[{0}]]></SecretKey>
  </AdmissionWebhooks>
  <Applications>
    <Application>
      <Name>b</Name>
      <Type>live</Type>
      <Publishers><Push><StreamMap><Enable>true</Enable><Path>m.xml</Path></StreamMap></Push></Publishers>
      <NewThing><ApiToken>{0}</ApiToken><Items><Key>accessToken</Key><Value>{0}</Value></Items><Size>3</Size></NewThing>
    </Application>
  </Applications>
</VirtualHost>
"""
# Places between two tags, in which somebody can put anything.
PUT = (
    "<!-- {0} -->",
    "<!--\n{0}\n-->",
    "<?x {0}?>",
    "<![CDATA[{0}]]>",
    "{0}",
    '<Name ignore="true">{0}</Name>',
    '<Application ignore="true" x="{0}"><Name y="{0}">{0}</Name><!-- {0} --></Application>',
    "<Name z='{0}'><!-- {0} --></Name>",
)


@st.composite
def files_with_secrets(draw: st.DrawFn) -> str:
    """Return files of a virtual host with a secret in places where none is expected."""
    pieces = VHOST.format(CANARY).split("\n")
    for _count in range(draw(st.integers(1, 6))):
        # Not before the root element, where only comments can be, and not in front of what would count then.
        index = draw(st.integers(4, len(pieces) - 3))
        pieces[index] += draw(st.sampled_from(PUT)).format(CANARY)
    return "\n".join([*pieces, f"<!-- {CANARY} -->"])


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(files_with_secrets())
def test_no_place_of_a_file_shows_what_can_be_a_secret(text: str) -> None:
    root = document.parse(text, "VHost_a.xml").root
    shown = masked_text(VIRTUAL_HOST_FILE, root)
    assert CANARY not in shown
    for line in ("  <Name>a</Name>", "      <Type>live</Type>", '<?xml version="1.0" encoding="UTF-8"?>'):
        assert line in shown
    assert "<Size>3</Size>" in shown and "<Path>m.xml</Path>" in shown


SERVER = f"""<!DOCTYPE x [<!ENTITY y "{CANARY}">]>
<Server version="8" token="{CANARY}">
  <Name>one</Name>{CANARY}
  <Bind><Providers><SRT><Port>9999</Port><Options>
    <Option><Key>SRTO_PASSPHRASE</Key><Value>{CANARY}</Value></Option>
    <Option><Key>SRTO_LATENCY</Key><Value>20</Value></Option>
  </Options></SRT></Providers></Bind>
  <Managers><API><AccessToken>{CANARY}</AccessToken></API></Managers>
  <VirtualHosts>
    <VirtualHost include="VHost*.xml" />
    <VirtualHost><Name>x</Name><SignedPolicy><SecretKey>{CANARY}</SecretKey></SignedPolicy></VirtualHost>
  </VirtualHosts>
</Server>
"""
MAP = f"""<PushInfo>
  <Push><Enable>false</Enable><StreamKey>{CANARY}</StreamKey><Url>rtmp://h/app?key={CANARY}</Url></Push>
  <Push><Enable>true</Enable><Id>1</Id><Other>{CANARY}</Other><Other><Deep>{CANARY}</Deep></Other></Push>
</PushInfo>
"""


@pytest.mark.parametrize(
    ("declaration", "text", "open_texts"),
    [
        (SERVER_XML, SERVER, ("<Name>one</Name>", "<Value>20</Value>", 'include="VHost*.xml"', "<Name>x</Name>")),
        (PUSH_MAP.declaration, MAP, ("<Enable>false</Enable>", "<Id>1</Id>", "rtmp://h/")),
    ],
)
def test_other_files_show_no_secret(declaration: Any, text: str, open_texts: tuple[str, ...]) -> None:
    shown = masked_text(declaration, document.parse(text, "file.xml").root)
    assert CANARY not in shown
    for one in open_texts:
        assert one in shown, shown


def test_equal_lines_are_equal_on_both_sides() -> None:
    text = VHOST.format(CANARY).replace("  <Name>a</Name>", f"  <Name>a</Name>  <!-- {CANARY} -->", 1)
    root = document.parse(text, "VHost_a.xml").root
    value = option_xml.value(VIRTUAL_HOST_FILE, root)
    value["signed_policy"]["secret_key"] = "another"
    value["applications"].append({"name": "c", "type": "live", "transcode_webhook": {"secret_key": CANARY}})
    editor = Editor()
    editor.show(VIRTUAL_HOST_FILE, root)
    editor.set(VIRTUAL_HOST_FILE, root, value)
    (edited,) = editor.files()
    assert CANARY not in edited.shown_before + edited.shown_after and "another" not in edited.shown_after

    def hunks(before: str, after: str) -> Sequence[tuple[str, int, int, int, int]]:
        return difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), False).get_opcodes()

    assert hunks(text, edited.after.decode()) == hunks(edited.shown_before, edited.shown_after)
    assert "<SecretKey>******** (changed)</SecretKey>" in edited.shown_after
