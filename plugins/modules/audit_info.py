#!/usr/bin/python

# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._door import run_module


def main():
    run_module("audit_info")


if __name__ == "__main__":
    main()
