# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tells whether two runs of the same playbooks have had the same results, whichever door the collection's modules have
entered through.

A task runs its module either in the worker process of the controller or as a module, a process of its own.
``callback/door_results.py`` writes what came of the tasks of a run, ``results.py`` reads it, ``normal.py`` takes out
what differs between any two runs, and
``compare.py`` compares the rest key by key.
"""
