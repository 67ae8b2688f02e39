# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare the results of two runs of the same playbooks key by key.

A task runs its module either in the worker process of the controller (execution path ``in_process``) or as a process
of its own (execution path ``module``). ``callback/execution_results.py`` writes the results of a run, ``results.py``
reads them, ``normalize.py`` replaces what differs between any two runs, and ``compare.py`` compares the rest.
``tests/behaviour.py`` uses the same parts to compare two versions of the collection.
"""
