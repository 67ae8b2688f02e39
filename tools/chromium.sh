#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Have Chromium, in which the tests open the page of an audit: Debian's package is installed where there is none and this is root.

. "$(dirname "$0")/common.sh"

for browser in "${CHROMIUM:-chromium}" chromium-browser google-chrome; do
    ! command -v "$browser" >/dev/null || exit 0
done
missing="Chromium is missing, which the tests of the audit's page need"
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    die "$missing: install the package chromium, or name the program in the environment variable CHROMIUM."
fi

say "Installing Chromium"
mkdir -p "$build/logs"
log=$build/logs/chromium.log
# The lists can be old, or not there at all, as in most images.
install=(apt-get install --yes --no-install-recommends chromium fonts-dejavu-core)
export DEBIAN_FRONTEND=noninteractive
"${install[@]}" >"$log" 2>&1 </dev/null || { apt-get update && "${install[@]}"; } >>"$log" 2>&1 </dev/null || {
    cat "$log" >&2
    die "$missing: apt-get could not install it."
}
