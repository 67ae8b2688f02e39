# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long to wait for what must come."""

PATIENCE = 600.0
"""Seconds after which a wait is a hang. No judgement: nothing may fail because a machine is slow."""
