#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# The artifact: build it, check it as Galaxy's importer does, install it as a user does, and see all modules there.

. "$(dirname "$0")/../common.sh"

work=$build/package
unset PYTHONPATH ANSIBLE_COLLECTIONS_PATH

say "== build"
artifact=$(tools/artifact.sh "$work")
# Where it is found when it is to be published.
rm -rf "$build/dist"
mv "$work/dist" "$build/dist"
artifact=$build/dist/$(basename "$artifact")

say "== contents"
"$PYTHON" tools/artifact.py contents "$artifact"

say "== galaxy-importer"
(
    mkdir -p "$work/importer"
    cd "$work/importer"
    export GALAXY_IMPORTER_TMP_ROOT_DIR=$work/importer GALAXY_IMPORTER_ANSIBLE_LOCAL_TMP=$work/importer/ansible XDG_CACHE_HOME=$build/cache
    # ansible-test has a stage of its own.
    export GALAXY_IMPORTER_RUN_ANSIBLE_TEST=false
    python -m galaxy_importer.main "$artifact"
) 2>&1 | tee "$work/importer.log"
# The importer's status says that it came to an end; what it found stands in its words.
if grep -E '^(ERROR|WARNING)' "$work/importer.log"; then
    die "galaxy-importer has objections"
fi

say "== install"
ansible-galaxy collection install --offline --collections-path "$work/installed" "$artifact"

say "== modules"
export ANSIBLE_COLLECTIONS_PATH=$work/installed
ansible-doc --list --type module --json streamops.ovenmediaengine >"$work/modules.json"
"$PYTHON" - "$work/modules.json" <<'PYTHON'
import json
import pathlib
import sys

found = {name.rsplit(".", 1)[1] for name in json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))}
written = {path.stem for path in pathlib.Path("plugins/modules").glob("*.py")} - {"__init__"}
if not written or found != written:
    sys.exit("ansible-doc lists %s; plugins/modules has %s" % (sorted(found), sorted(written)))
print("ansible-doc lists " + ", ".join(sorted(found)))
PYTHON
printf '   %s, %s files\n' "${artifact#"$root"/}" "$(tar -tzf "$artifact" | grep -cv '/$')" >&3
