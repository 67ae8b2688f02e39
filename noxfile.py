# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks, as nox sessions. `make` sets up the environment and starts them; `nox --list` lists them.

antsibull-nox.toml adds the sessions that antsibull-nox knows. Those here are what it does in containers only, where
ours need none, and the tests.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version

import antsibull_nox
import nox
from nox.command import CommandFailed

ROOT = pathlib.Path(__file__).resolve().parent
BUILD = ROOT / ".build"
sys.path[:0] = [str(ROOT / "tools"), str(ROOT), str(BUILD / "tree")]

import artifact  # noqa: E402
import seed_get_pip  # noqa: E402

from tests import programs  # noqa: E402

nox.options.default_venv_backend = "uv"
nox.options.reuse_venv = "yes"
nox.options.envdir = str(BUILD / "nox")
# A release that no Python here can run is skipped, and said to be.
nox.options.error_on_missing_interpreters = False
nox.options.sessions = []
antsibull_nox.load_antsibull_nox_toml()

LOCKED = ROOT / "requirements" / "test.txt"


def python_for(row: Sequence[str]) -> str | None:
    """Return the best Python of this machine for a row of CORES; None if none of them runs that ansible-core."""
    return next((python for python in row[1:] if (BUILD / "pythons" / f"python{python}").exists()), None)


CORES = [
    line.split()
    for line in (ROOT / "requirements" / "cores.txt").read_text(encoding="utf-8").splitlines()
    if line[:1].isdigit()
]
RELEASES = [row[0] for row in CORES]
FINAL = [release for release in RELEASES if release.replace(".", "").isdigit()]
NEWEST = next((row[0] for row in reversed(CORES) if row[0] in FINAL and python_for(row)), FINAL[-1])
"""The newest release that is no candidate and runs here: what the checks that need one ansible-core use, as .venv
does.
"""
NAMESPACE, NAME = "streamops", "ovenmediaengine"
SERVER = ("OVENMEDIAENGINE_API_URL", "OVENMEDIAENGINE_API_TOKEN")
MEDIA_PORTS = ("LLHLS", "SIGNALLING", "RTMP", "THUMBNAIL")
"""Ports of a real server in OVENMEDIAENGINE_LLHLS_PORT and so on; those of its sample configuration if not set."""
SCRIPTS = [".ci/run", "demo/run", *(str(path) for path in ROOT.glob("tests/integration/targets/*/*.sh"))]
WORKFLOW_SCHEMAS = {
    "github-workflows": "workflows/*.yml",
    "dependabot": "dependabot.yml",
    "github-issue-forms": "ISSUE_TEMPLATE/[!c]*.yml",
    "github-issue-config": "ISSUE_TEMPLATE/config.yml",
}
# The unit tests that could come out differently with another ansible-core. The rest of the suite is about requests,
# servers that fail, certificates and the simulator, in which ansible-core has no part. Whole playbooks run in the
# integration sessions.
DEPEND_ON_CORE = (
    # What runs in Ansible's own process: templates, connections, results, the settings of a task.
    "tests/unit/plugins/plugin_utils",
    # Filters and lookups: from 2.19 on their input carries tags, and their errors have other classes.
    "tests/unit/plugins/filter",
    "tests/unit/plugins/lookup",
    # The argument specs as ansible-core checks them, and the documentation as ansible-doc reads it.
    "tests/unit/plugins/module_utils/_runtime/test_options.py",
    # How modules begin and end: AnsibleModule, warnings, secrets, what is returned of the options.
    "tests/unit/plugins/module_utils/_runtime/test_module.py",
    # Options that ansible-core refuses, or changes before the module sees them.
    "tests/unit/plugins/modules/test_bad_input.py",
    # Each module from options to result and diff, on a server.
    "tests/unit/plugins/modules/test_life.py",
    "tests/unit/plugins/modules/test_application_life.py",
    # The callback plugin that compares results.
    "tests/unit/execution_paths",
)


def series(release: str) -> str:
    """Return ``2.17`` of ``2.17.14``."""
    return ".".join(release.split(".")[:2])


QUICK_TARGETS = (
    "audit_info",
    "push_tasks",
    "role_audit",
    "server_config",
    "server_info",
    "signed_url",
    "stream_event",
    "vhost",
)
"""Integration targets of the fast gate, one of each kind: an object, a list, an action on a stream, information, an
audit, files of a server, a lookup and a role. End-to-end tests run the other roles. `make test-all` compares the
execution paths with those of modules.
"""
STATIC_TESTS = ("pep8", "shellcheck", "yamllint")
"""Tests of ansible-test sanity whose rules the static checks apply too: ruff, shellcheck and yamllint."""


def for_each_core(function: Callable[..., None], name: str, releases: Sequence[str] = (), **arguments: object) -> None:
    """Register a session for each release of ansible-core, in an environment of its own: ``name`` with ``{core}`` in
    it.
    """
    for row in CORES:
        release = row[0]
        if not releases or release in releases:
            found = python_for(row) or row[1]
            session = functools.update_wrapper(functools.partial(function, release=release, **arguments), function)
            nox.session(name=name.format(core=series(release)), python=found)(session)


def build_artifact(session: nox.Session, work: pathlib.Path) -> pathlib.Path:
    """Build the artifact from a copy of what git knows, whatever else lies about; return its path in ``work``."""
    shutil.rmtree(work, ignore_errors=True)
    artifact.copy_repository(work / "source")
    session.run("ansible-galaxy", "collection", "build", "--output-path", str(work), str(work / "source"), silent=True)
    return next(work.glob("*.tar.gz"))


def ansible_test(
    session: nox.Session, release: str, *arguments: str, whole: bool = False, settings: dict[str, str] | None = None
) -> None:
    """Run ansible-test of a release in environments that it makes itself, without containers, on the installed
    artifact.

    :param whole: on a copy of the whole repository instead.
    :param settings: files to write into the collection before, such as integration_config.yml; they are removed after
    it.
    """
    if release == NEWEST != FINAL[-1]:
        session.log(f"ansible-core {release}, because {FINAL[-1]} needs another Python")
    session.install(f"ansible-core=={release}", "pip")
    # 2.16/in_process and 2.16/module: tests/execution_paths treats such folders as equal.
    place = BUILD / "ansible-test" / re.sub(r"^integration-(.+)-(in_process|module)$", r"\1/\2", session.name)
    collection = place / "ansible_collections" / NAMESPACE / NAME
    home = place / "home"
    # The user's pip settings and downloads serve here too.
    for own in (".config/pip", ".cache/pip", ".cache/uv", ".pip", ".netrc"):
        source = pathlib.Path.home() / own
        if source.exists() and not (home / own).is_symlink():
            (home / own).parent.mkdir(parents=True, exist_ok=True)
            (home / own).symlink_to(source)
    # Neither ansible-test nor ansible-galaxy may find the collection anywhere else.
    environment = {
        "HOME": str(home),
        "PYTHONPATH": None,
        "ANSIBLE_COLLECTIONS_PATH": str(place),
        "ANSIBLE_HOME": None,
        "VIRTUAL_ENV": None,
    }
    shutil.rmtree(collection, ignore_errors=True)
    if whole:
        artifact.copy_repository(collection)
    else:
        built = build_artifact(session, place / "artifact")
        session.run(
            "ansible-galaxy",
            "collection",
            "install",
            "--offline",
            "--collections-path",
            str(place),
            str(built),
            env=environment,
            silent=True,
        )
        session.run(
            "ansible-galaxy", "collection", "verify", "--offline", f"{NAMESPACE}.{NAME}", env=environment, silent=True
        )
        if arguments[0] == "integration":
            # The targets are not in the artifact because users do not need them. All else is the artifact's.
            artifact.copy_repository(collection, "tests")
    # ansible-test asks git which files there are; without this it would find the clone around it, which ignores .build.
    session.run("git", "init", "--quiet", str(collection), external=True)
    # The artifact has no .gitignore.
    (collection / ".git" / "info" / "exclude").write_text("/tests/output/\n__pycache__/\n", encoding="utf-8")
    seed_get_pip.seed(pathlib.Path(session.bin) / "python", home / ".ansible" / "test" / "cache")
    # It makes a key for hosts that are reached by SSH, for which it needs OpenSSH. There are no such hosts.
    for name in ("id_rsa", "id_rsa.pub"):
        (home / ".ansible" / "test" / name).touch()
    written = []
    for name, content in (settings or {}).items():
        (collection / name).write_text(content, encoding="utf-8")
        (collection / name).chmod(0o600)
        written.append(collection / name)
    try:
        with session.chdir(collection):
            session.run(
                "ansible-test",
                *arguments,
                "--venv",
                "--color",
                "no",
                *session.posargs,
                env={**environment, "ANSIBLE_COLLECTIONS_PATH": None},
            )
    finally:
        for path in written:
            path.unlink()


def sanity(session: nox.Session, release: str) -> None:
    """Run ansible-test sanity: the newest release on the whole repository, the others on what users install.

    What takes longest runs with the newest only: pylint, and imports by each Python of this machine.
    """
    few = () if release == NEWEST else ("--skip-test", "pylint", "--python", str(session.python))
    ansible_test(session, release, "sanity", *few, whole=release == NEWEST)


def sanity_quick(session: nox.Session, release: str) -> None:
    """Run ansible-test sanity of the newest release with one Python.

    It leaves out pylint and imports, which take longest, and what the static checks find.
    """
    few = skipped("pylint", "import", *STATIC_TESTS)
    ansible_test(session, release, "sanity", *few, "--python", str(session.python), whole=True)


def sanity_slow(session: nox.Session, release: str) -> None:
    """Run the part of ansible-test sanity that sanity-quick leaves out: some tests, and each Python of this machine."""
    tests = [argument for name in ("pylint", "compile", "import", *STATIC_TESTS) for argument in ("--test", name)]
    ansible_test(session, release, "sanity", *tests, whole=True)


def skipped(*tests: str) -> tuple[str, ...]:
    """Return the arguments of ``ansible-test sanity`` that leave out tests."""
    return tuple(argument for test in tests for argument in ("--skip-test", test))


def integration(session: nox.Session, release: str, execution: str, *arguments: str) -> None:
    """Run the integration targets on the installed artifact; against a real server if OVENMEDIAENGINE_API_URL is
    set. ``arguments`` are more of ``ansible-test integration``.
    """
    results = BUILD / "integration" / f"{series(release)}-{execution}.jsonl"
    results.parent.mkdir(parents=True, exist_ok=True)
    results.unlink(missing_ok=True)
    variables: dict[str, object] = {"ovenmediaengine_in_process": execution == "in_process"}
    if os.environ.get(SERVER[0]):
        variables.update({name.lower(): os.environ.get(name, "") for name in SERVER})
        # Roles refuse variables that begin with their own prefix and that they do not know.
        ports = {
            f"setup_simulator_{kind.lower()}_port": os.environ.get(f"OVENMEDIAENGINE_{kind}_PORT")
            for kind in MEDIA_PORTS
        }
        variables.update({name: port for name, port in ports.items() if port})
    callbacks = (
        f"[defaults]\ncallback_plugins = {ROOT}/tests/execution_paths/callback\n"
        f"[callback_execution_results]\npath = {results}\n"
    )
    settings = {
        "tests/integration/integration_config.yml": json.dumps(variables),
        "tests/integration/integration.cfg": callbacks,
    }
    if os.environ.get("TARGETS_IN_PARTS"):
        # One of each kind with the first release, which compares the execution paths, and all others with the last one.
        of_modules = tuple(target for target in QUICK_TARGETS if not target.startswith("role_"))
        arguments += without(*QUICK_TARGETS) if release == RELEASES[-1] else of_modules
    ansible_test(session, release, "integration", "--python", str(session.python), *arguments, settings=settings)


def without(*targets: str) -> tuple[str, ...]:
    """Return the arguments of ``ansible-test integration`` that leave out targets."""
    return tuple(argument for target in targets for argument in ("--exclude", target))


def integration_quick(session: nox.Session, release: str) -> None:
    """Run one integration target of each kind in process."""
    integration(session, release, "in_process", *QUICK_TARGETS)


def units(session: nox.Session, release: str) -> None:
    """Run the unit tests that depend on ansible-core with a release of it."""
    # Versions as they are locked, but for what the release decides.
    constraints = BUILD / "nox" / f"{session.name}.txt"
    constraints.parent.mkdir(parents=True, exist_ok=True)
    lines = LOCKED.read_text(encoding="utf-8").splitlines()
    constraints.write_text(
        "\n".join(line for line in lines if not line.startswith(("ansible-core=", "resolvelib="))), encoding="utf-8"
    )
    session.install(f"ansible-core=={release}", "pytest", "-r", "tests/unit/requirements.txt", "-c", str(constraints))
    # The counts of the tests of robustness are those of the whole suite.
    environment = {"ROBUSTNESS_COUNTS": str(BUILD / "robustness" / session.name)}
    cache = f"--override-ini=cache_dir={BUILD}/cache/{session.name}"
    session.run("python", "-m", "pytest", "--quiet", cache, *(session.posargs or DEPEND_ON_CORE), env=environment)


for_each_core(sanity, "sanity-{core}")
for_each_core(sanity_quick, "sanity-quick", [NEWEST])
for_each_core(sanity_slow, "sanity-slow", [NEWEST])
for_each_core(units, "units-{core}")
for_each_core(integration_quick, "integration-quick", [NEWEST])
for_each_core(integration, "integration-{core}-in_process", execution="in_process")
for_each_core(integration, "integration-{core}-module", execution="module")


def both_paths(session: nox.Session, release: str) -> None:
    """Compare the results of the integration targets in process and as modules, key by key."""
    results = [
        str(BUILD / "integration" / f"{series(release)}-{execution}.jsonl") for execution in ("in_process", "module")
    ]
    session.run("python", "-m", "tests.execution_paths", "compare", *results, external=True)


for core_release in RELEASES:
    core = series(core_release)
    compare = functools.update_wrapper(functools.partial(both_paths, release=core_release), both_paths)
    nox.session(
        name=f"both-paths-{core}",
        python=False,
        requires=[f"integration-{core}-in_process", f"integration-{core}-module"],
    )(compare)


@nox.session(python=False)
def repository(session: nox.Session) -> None:
    """Check the changelog, shell scripts, licences of packages, workflows, and that no file names this machine."""
    session.run("ruff", "check", "--quiet", ".")
    session.run("ruff", "format", "--check", "--quiet", ".")
    session.run("antsibull-changelog", "lint")
    session.run("shellcheck", "--external-sources", *SCRIPTS)
    session.run("python", "tools/check_repository.py")
    session.run("pip-licenses", "--summary", silent=True)
    session.run("zizmor", "--quiet", "--offline", "--persona", "pedantic", ".github")
    for schema, files in WORKFLOW_SCHEMAS.items():
        session.run(
            "check-jsonschema",
            "--quiet",
            "--builtin-schema",
            f"vendor.{schema}",
            *(str(path) for path in ROOT.glob(f".github/{files}")),
        )
    # Its package downloads a program, which not every machine can; requirements/ci.txt installs it where workflows run.
    if shutil.which("actionlint"):
        session.run("actionlint", external=True)
    else:
        session.warn("actionlint is left out: it is not installed here")


FAST_GATE = BUILD / "coverage" / "fast-gate"
"""Names the commit whose fast gate passed with COVERAGE set, and its ansible-core. Coverage and counts are here, so its
tests need not run again with that ansible-core.
"""


def commit() -> str:
    """Return the commit of the clone; empty if files differ from it."""

    def git(*arguments: str) -> str:
        found = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
        return found.stdout.strip() if not found.returncode else "unknown"

    return "" if git("status", "--porcelain") else git("rev-parse", "HEAD")


@nox.session(python=False)
def unit(session: nox.Session) -> None:
    """Run the unit and end-to-end tests of the fast gate, in random order; with their coverage if COVERAGE is set."""
    # With arguments it is a part of them, of which no coverage is kept.
    measured = os.environ.get("COVERAGE") and not session.posargs
    coverage = ["--cov", "--cov-report=", "--cov-fail-under=0"] if measured else ["--no-cov"]
    if not session.posargs:
        FAST_GATE.unlink(missing_ok=True)
        session.run("python", "-m", "tests.robustness", "clear")
    processes = f"--numprocesses={os.cpu_count() or 1}"
    session.run("pytest", "-m", "not exhaustive", processes, "--dist=worksteal", *coverage, *session.posargs)
    if measured:
        FAST_GATE.parent.mkdir(parents=True, exist_ok=True)
        FAST_GATE.write_text(f"{commit()} {version('ansible-core')}", encoding="utf-8")


@nox.session(python=False, name="unit-all")
def unit_all(session: nox.Session) -> None:
    """Run all unit and end-to-end tests but the long ones, with the coverage of plugins/ and a page of what was tried.

    If the fast gate of this commit has passed here, run those that it leaves out, and add to its coverage and counts.
    """
    have_packages(session)
    marker = FAST_GATE.read_text(encoding="utf-8") if FAST_GATE.exists() else ""
    passed, _blank, core = marker.partition(" ")
    continued = passed == commit() != ""
    # One more process than processors because tests also wait: for a server that is late, a port that is closed for a
    # while, a poll.
    command = ["pytest", f"--numprocesses={(os.cpu_count() or 1) + 1}", "--dist=worksteal", "--cov"]
    if continued:
        session.log(f"the fast gate of this commit has run the other tests, with ansible-core {core}")
        command.append("--cov-append")
    else:
        session.run("python", "-m", "tests.robustness", "clear")
    session.run(
        *command,
        "-m",
        "exhaustive and not long" if continued else "not long",
        "--durations=40",
        "--durations-min=5",
        "--cov-report=term",
        *session.posargs,
    )
    session.run("python", "-m", "tests.robustness", "write")


@nox.session(python=False, name="unit-long")
def unit_long(session: nox.Session) -> None:
    """Run the tests that take longest: most end-to-end tests of roles."""
    have_packages(session)
    session.run("pytest", "-m", "long", f"--numprocesses={os.cpu_count() or 1}", "--dist=worksteal", *session.posargs)


@nox.session(python=False)
def hosts(session: nox.Session) -> None:
    """Run the roles on a real host: a Debian 13 with systemd, podman and docker, which is booted here.

    Without arguments, runs the scenarios that are marked ``chosen``; with ``all``, all of them; otherwise those whose
    names contain one of the arguments.
    """
    from ansible_collections.streamops.ovenmediaengine.tests.hosts import guest

    # If they cannot be installed, this is a reason.
    with contextlib.suppress(CommandFailed):
        have_packages(session, *guest.NEEDED)
    reason = guest.unusable()
    if reason:
        session.skip(reason)
    names = list(session.posargs)
    chosen = [] if not names else ["--all-scenarios"] + ["-k", " or ".join(names)] * (names != ["all"])
    # One after the other and in their order: there is one host, and a test goes on with what the one before has left.
    session.run("pytest", "tests/hosts", "-p", "no:randomly", "--numprocesses=0", "--no-cov", *chosen)


def have_packages(session: nox.Session, *names: str) -> None:
    """Install what tests need of the operating system, if it is missing: as root, on Debian and its relatives.

    :param names: programs of :data:`tests.programs.PACKAGES`; all of them without any.
    """
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "packages.lock").open("w", encoding="utf-8") as lock:
        # Sessions run concurrently, and apt refuses a second one.
        fcntl.flock(lock, fcntl.LOCK_EX)
        _install(session, programs.missing(*names))


def _install(session: nox.Session, packages: Sequence[str]) -> None:
    if not packages:
        return
    if os.geteuid() or not shutil.which("apt-get"):
        # Without the others, tests are skipped, or say what they need.
        if "chromium" in packages:
            session.error(
                "Chromium is missing: install the package chromium, or set CHROMIUM to the path of the program"
            )
        return
    # The package lists can be old, or missing, for example in most images.
    for command in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        session.run("apt-get", *command, env={"DEBIAN_FRONTEND": "noninteractive"}, external=True, silent=True)


@nox.session(python=False)
@nox.parametrize("scenario", [path.parent.name for path in sorted(ROOT.glob("extensions/molecule/*/molecule.yml"))])
def molecule(session: nox.Session, scenario: str) -> None:
    """Run a molecule scenario; the scenario container needs a running podman or docker."""
    environment = {
        "MOLECULE_EPHEMERAL_DIRECTORY": str(BUILD / "molecule" / scenario),
        "XDG_CACHE_HOME": str(BUILD / "cache"),
    }
    if scenario == "container":
        # A client without its daemon is no engine.
        candidates = os.environ.get("OVENMEDIAENGINE_CONTAINER_ENGINE", "podman docker").split()
        engine = next(
            (
                name
                for name in candidates
                if shutil.which(name)
                and not subprocess.run([name, "info"], capture_output=True, check=False).returncode
            ),
            "",
        )
        if not engine:
            session.skip("no container engine answers here (podman or docker)")
        environment["OVENMEDIAENGINE_CONTAINER_ENGINE"] = engine
    with session.chdir("extensions"):
        session.run("molecule", "test", "--scenario-name", scenario, env=environment)


@nox.session
def package(session: nox.Session) -> None:
    """Build the artifact into .build/dist, check what is in it, import it as Galaxy does, install it and list its
    modules.
    """
    check_artifact(session, lint=True)


@nox.session(name="package-quick")
def package_quick(session: nox.Session) -> None:
    """Do the same without the ansible-lint of Galaxy's importer, which takes most of the time."""
    check_artifact(session, lint=False)


def check_artifact(session: nox.Session, *, lint: bool) -> None:
    """Build the artifact and check it, by ansible-lint too or not."""
    session.install("-r", "requirements/importer.txt")
    built = build_artifact(session, BUILD / "dist")
    faults = artifact.contents(built)
    if faults:
        session.error("\n".join(faults))
    work = BUILD / session.name
    shutil.rmtree(work, ignore_errors=True)
    (work / "importer").mkdir(parents=True)
    environment: dict[str, str | None] = {
        "PYTHONPATH": None,
        "ANSIBLE_COLLECTIONS_PATH": str(work),
        "GALAXY_IMPORTER_RUN_ANSIBLE_LINT": str(lint),
        "GALAXY_IMPORTER_RUN_ANSIBLE_TEST": "false",
        "GALAXY_IMPORTER_CHECK_REQUIRED_TAGS": "true",
    }
    environment.update(GALAXY_IMPORTER_TMP_ROOT_DIR=str(work / "importer"), XDG_CACHE_HOME=str(BUILD / "cache"))
    environment.update(GALAXY_IMPORTER_ANSIBLE_LOCAL_TMP=str(work / "importer" / "ansible"))
    with session.chdir(work / "importer"):
        log = str(session.run("python", "-m", "galaxy_importer.main", str(built), env=environment, silent=True))
    # The importer's status says that it came to an end; its output has the findings.
    objections = [line for line in log.splitlines() if line.startswith(("ERROR", "WARNING"))]
    if objections:
        session.error("\n".join(objections))
    session.run(
        "ansible-galaxy",
        "collection",
        "install",
        "--offline",
        "--collections-path",
        str(work),
        str(built),
        env=environment,
        silent=True,
    )
    listed = str(
        session.run(
            "ansible-doc", "--list", "--type", "module", "--json", f"{NAMESPACE}.{NAME}", env=environment, silent=True
        )
    )
    modules = {name.rsplit(".", 1)[1] for name in json.loads(listed[listed.index("{") :])}
    written = {path.stem for path in (ROOT / "plugins" / "modules").glob("[a-z]*.py")}
    if modules != written:
        session.error(f"ansible-doc lists {sorted(modules)}; plugins/modules has {sorted(written)}")
    session.log(f"{built.relative_to(ROOT)}: {len(modules)} modules")


@nox.session(python=False)
def docs(session: nox.Session) -> None:
    """Build the documentation as a site, in .build/docs/html. A reference that leads nowhere is an error."""
    work = BUILD / "docs"
    shutil.rmtree(work, ignore_errors=True)
    (work / "source" / "reference").mkdir(mode=0o755, parents=True)
    # A tree outside of the clone: below a folder named ansible_collections, as a clone may be, antsibull-docs would
    # find no role.
    tree = pathlib.Path(session.create_tmp()) / "tree"
    artifact.copy_repository(tree / "ansible_collections" / NAMESPACE / NAME)
    environment = {"HOME": str(work), "ANSIBLE_COLLECTIONS_PATH": str(tree), "PYTHONPATH": None}
    options = [
        "--use-current",
        "--fail-on-error",
        "--squash-hierarchy",
        "--no-add-antsibull-docs-version",
        "--dest-dir",
        str(work / "source" / "reference"),
    ]
    session.run("antsibull-docs", "collection", *options, f"{NAMESPACE}.{NAME}", env=environment)
    session.run("python", "docs/site/pages.py", "prepare", str(work / "source"))
    sphinx = [
        "--quiet",
        "--jobs=auto",
        "--builder=html",
        "--fail-on-warning",
        "--keep-going",
        "--conf-dir=docs/site",
        f"--doctree-dir={work}/doctrees",
    ]
    session.run("sphinx-build", *sphinx, str(work / "source"), str(work / "html"))
    session.run("python", "docs/site/pages.py", "check", str(work / "html"))


@nox.session(python=False)
def requirements(session: nox.Session) -> None:
    """Lock requirements/*.in again: exact versions of everything, good for each Python from 3.11 on."""
    for name in ("demo", "importer", "test"):
        options = [
            "--quiet",
            "--upgrade",
            "--universal",
            "--python-version=3.11",
            "--no-header",
            "--no-annotate",
            f"--output-file=requirements/{name}.txt",
        ]
        session.run("uv", "pip", "compile", *options, f"requirements/{name}.in")
