# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the options of modules for recorded files."""

from __future__ import annotations


class ModuleDocFragment:
    """Where recorded files and their index files are."""

    DOCUMENTATION = r"""
options:
  directory:
    description:
      - Absolute path of the directory with the recordings and their index files, on the host where the module runs.
        Usually C(root_path) of the file publisher.
      - Folders in it are included. Symbolic links in it are not followed, so that nothing outside of it is read or
        removed.
    type: path
    required: true
  server_directory:
    description:
      - The same directory as the index files name it, if that differs, such as V(/opt/ovenmediaengine/bin/records) in a
        container. Files with other paths are then left alone.
      - Without it, paths in the index files that begin with O(directory) are used as they are, and all others are below
        O(directory), as with C(root_path) of the file publisher.
    type: str
  info_path:
    description:
      - Index files in O(directory), written as C(info_path) of the recordings. Each macro of the server, such as
        C(${Stream}), stands for any text without a slash.
      - Without it, all files are read whose names end with C(.xml) and that have the element C(files).
      - An index file of more than 16 MiB is not read, and no more than 64 MiB in all. The server never shortens one, so
        use a time or C(${TransactionId}) in C(info_path).
    type: list
    elements: str
  quiet_seconds:
    description:
      - A file that has changed in so many seconds may still be written. It is never removed, and a temporary file
        counts as growing.
    type: float
    default: 300
"""
