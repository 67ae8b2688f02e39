#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# The documentation as a site: the pages of modules, filters and roles, the guides, and the pages about the project. Warnings are errors.

. "$(dirname "$0")/../common.sh"

work=$build/docs
rm -rf "$work"
mkdir -p "$work/source" "$build/home"
# antsibull-docs writes only where nobody else can.
mkdir -m 755 "$work/source/reference"

say "== pages"
# A place of its own: below a directory named ansible_collections, as a clone may be, no role would be found. It logs into the home.
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
"$PYTHON" tools/collection_tree.py link "$tree"
HOME=$build/home ANSIBLE_COLLECTIONS_PATH=$tree antsibull-docs collection --use-current --fail-on-error --squash-hierarchy \
    --no-add-antsibull-docs-version --dest-dir "$work/source/reference" streamops.ovenmediaengine
"$PYTHON" tools/docs_site.py prepare "$work/source"

say "== site"
sphinx-build --quiet --jobs auto --builder html --fail-on-warning --keep-going --conf-dir tools/docs --doctree-dir "$work/doctrees" "$work/source" "$work/html"

say "== links"
"$PYTHON" tools/docs_site.py check "$work/html" | tee /dev/fd/3
printf '   %s\n' "${work#"$root"/}/html/index.html" >&3
