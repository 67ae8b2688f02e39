# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Give ansible-test its get-pip script if it cannot download it.

ansible-test fetches the script from a server of its own. If only a package index can be reached, that fails, and
with it every environment that ansible-test makes. Then the pip that the script would install is taken from the index,
with a script that installs it.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import urllib.request

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


def seed(python: pathlib.Path, cache: pathlib.Path) -> None:
    """Fill the cache of an ansible-test, by download or from the package index.

    :param python: the interpreter that has this ansible-test, and pip.
    :raises ValueError: this ansible-test gets its pip in a way that is not known here.
    """
    where = subprocess.run(
        [python, "-c", "import ansible_test; print(ansible_test.__path__[0])"],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    package = pathlib.Path(where.stdout.strip())
    setup = (package / "_util" / "target" / "setup" / "requirements.py").read_text(encoding="utf-8")
    versions = (package / "_internal" / "python_requirements.py").read_text(encoding="utf-8")
    url = re.search(r"url = '(https://\S+get-pip-%s\.py)' % pip_version", setup)
    defaults = re.search(r"default_packages = dict\((.*?)\)", versions, re.DOTALL)
    if not url or not defaults:
        raise ValueError("unknown way to get pip in " + str(package))
    packages = dict(re.findall(r"(\w+)='([^']+)'", defaults.group(1)))
    script = cache / ("get_pip_%s.py" % packages["pip"].replace(".", "_"))
    if script.exists():
        return
    cache.mkdir(parents=True, exist_ok=True)
    try:
        with urllib.request.urlopen(url.group(1) % packages["pip"], timeout=15) as answer:
            content = answer.read()
    except OSError:
        pins = ["%s==%s" % pin for pin in packages.items()]
        subprocess.run(
            [
                python,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
                "--dest",
                cache,
                *pins,
            ],
            check=True,
        )
        content = SCRIPT.format(pip=packages["pip"]).encode()
    temporary = script.with_suffix(".new")
    temporary.write_bytes(content)
    temporary.replace(script)
