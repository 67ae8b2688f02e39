#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Static checks. All are run, also after one has failed.

. "$(dirname "$0")/../common.sh"

failed=()
check() {
    local name=$1
    shift
    say "== $name: $*"
    "$@" || failed+=("$name")
}

scripts=()
while IFS= read -r -d '' file; do
    [ ! -f "$file" ] || [[ $(head -c 30 "$file") != '#!'*sh* && $file != *.sh ]] || scripts+=("$file")
done < <(git ls-files --cached --others --exclude-standard -z)

check ruff ruff check .
plugins=ansible_collections.streamops.ovenmediaengine.plugins
check mypy mypy -p "$plugins.module_utils" -p "$plugins.plugin_utils" -p "$plugins.action"
check shellcheck shellcheck --external-sources "${scripts[@]}"
check yamllint yamllint --strict .
check ansible-lint ansible-lint --offline
check antsibull-changelog antsibull-changelog lint
# It logs into the home.
mkdir -p "$build/home"
check antsibull-docs env HOME="$build/home" antsibull-docs lint-collection-docs --plugin-docs --skip-rstcheck .
check repository "$PYTHON" tools/check_repository.py
check reuse reuse lint --lines
check pip-licenses pip-licenses --summary
check zizmor zizmor --quiet --offline --persona pedantic .github
check workflows check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
check dependabot check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
check issue-forms check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/feature.yml
check issue-config check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
if command -v actionlint >/dev/null; then
    check actionlint actionlint
else
    say "== actionlint: left out, as it is not installed here"
fi

[ "${#failed[@]}" -eq 0 ] || die "found fault: ${failed[*]}"
