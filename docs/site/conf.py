# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sphinx settings of the site that `make docs` builds; pages.py prepares its sources."""

from __future__ import annotations

project = "streamops.ovenmediaengine"
author = "StreamOps"
project_copyright = "2026, StreamOps"
html_title = html_short_title = "streamops.ovenmediaengine"

extensions = ["myst_parser", "sphinx.ext.intersphinx", "sphinx_antsibull_ext"]
# Reads no inventory from the network: pages.py lists the linked pages of Ansible's documentation.
intersphinx_mapping = {"ansible": ("https://docs.ansible.com/projects/ansible/latest/", "ansible.inv")}
myst_heading_anchors = 4
# A link without target fails the build.
nitpicky = True
default_role = "any"

html_theme = "sphinx_ansible_theme"
html_theme_options = {"display_version": False, "vcs_pageview_mode": "blob"}
html_show_sphinx = False
html_copy_source = False
html_use_index = False
html_domain_indices = False
pygments_style = "ansible"
highlight_language = "YAML+Jinja"
