# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read stream keys from a file on the controller, and run the module `restream` with them."""

from __future__ import annotations

import typing as t

import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import Refusal
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.one_stream import STOPPED, Restream
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._controller_files import (
    Unreadable,
    content_of,
    find,
)
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._in_process import InProcessAction

_FILE = "stream_keys_file"


class ActionModule(InProcessAction):
    """Action plugin of the module `restream`."""

    operation = Restream

    def prepared(self, options: dict[str, t.Any], variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the options with the stream keys of the file. Raises Refusal if it cannot be read.

        Stopping needs no stream key.
        """
        specified = options.get("stream_keys") or {}
        path = str(options.get(_FILE) or "")
        if not path or options.get("state") == STOPPED or not isinstance(specified, t.Mapping):
            return options
        path = find(self._loader, self._task.get_search_path(), variables, path)
        attempt, file = "read the stream keys", f"The file with stream keys, {path},"
        try:
            # This loader reads all values as texts, so that a stream key of digits is not changed.
            read = yaml.load(content_of(self._loader, path).decode(), Loader=yaml.BaseLoader) or {}
        except Unreadable as reason:
            raise Refusal(attempt, f"{file} cannot be read on the controller: {reason}.") from None
        except (yaml.YAMLError, UnicodeDecodeError):  # quotes the text
            read = None
        if not isinstance(read, t.Mapping) or not all(isinstance(key, str) for key in read.values()):
            form = "YAML with the name of a platform, a colon and its stream key in each line"
            raise Refusal(attempt, f"{file} is expected to hold {form}.")
        return {**options, "stream_keys": {**read, **specified}}
