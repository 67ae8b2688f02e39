#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# artifact.sh DIRECTORY   build the artifact in a directory, which is emptied before; prints the artifact's path

. "$(dirname "$0")/common.sh"

work=${1:?directory}
rm -rf "$work"
mkdir -p "$work/dist"
# From a copy: what git does not know is not in the artifact, whatever lies about.
source=$("$PYTHON" tools/collection_tree.py copy "$work/source")
ansible-galaxy collection build --output-path "$work/dist" "$source" >&2
compgen -G "$work/dist/*.tar.gz"
