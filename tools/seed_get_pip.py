# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""See that ansible-test finds its get-pip script.

    seed_get_pip.py CACHE       run by the Python that has the ansible-test in question

ansible-test downloads the script from a server of its own into CACHE. Where only a package index can be reached,
that fails. Then the pip that the script would bring is taken from the index, with a script that installs it.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import urllib.request

import ansible_test

SCRIPT = '''\
"""Stands in for get-pip: installs pip from the wheels beside this file."""

from __future__ import annotations

import glob
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, glob.glob(os.path.join(here, "pip-{pip}-*.whl"))[0])

from pip._internal.cli.main import main

arguments = [argument for argument in sys.argv[1:] if argument not in ("--no-setuptools", "--no-wheel")]
sys.exit(main(["install", "--no-index", "--find-links", here, "--force-reinstall"] + arguments))
'''


def wanted(package: pathlib.Path) -> tuple[str, dict[str, str]]:
    """Return where this ansible-test would download from, and the versions of what it would install."""
    setup = (package / "_util" / "target" / "setup" / "requirements.py").read_text(encoding="utf-8")
    versions = (package / "_internal" / "python_requirements.py").read_text(encoding="utf-8")
    url = re.search(r"url = '(https://\S+get-pip-%s\.py)' % pip_version", setup)
    defaults = re.search(r"default_packages = dict\((.*?)\)", versions, re.DOTALL)
    if not url or not defaults:
        sys.exit("this ansible-test gets its pip in a way that " + pathlib.Path(__file__).name + " does not know")
    packages = dict(re.findall(r"(\w+)='([^']+)'", defaults.group(1)))
    return url.group(1) % packages["pip"], packages


def main(cache: pathlib.Path) -> int:
    """Fill the cache, by the usual way or by the other one."""
    url, packages = wanted(pathlib.Path(ansible_test.__path__[0]))
    script = cache / ("get_pip_%s.py" % packages["pip"].replace(".", "_"))
    if script.exists():
        return 0
    cache.mkdir(parents=True, exist_ok=True)
    try:
        with urllib.request.urlopen(url, timeout=15) as answer:
            content = answer.read()
    except OSError as error:
        print("no get-pip (%s): pip is taken from the package index" % error)
        pins = ["%s==%s" % pin for pin in packages.items()]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--dest", str(cache)]
        subprocess.run(command + pins, check=True)
        content = SCRIPT.format(pip=packages["pip"]).encode()
    temporary = script.with_suffix(".new")
    temporary.write_bytes(content)
    temporary.replace(script)
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
