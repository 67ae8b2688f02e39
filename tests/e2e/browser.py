# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Chromium, headless, for the tests of the audit's page."""

from __future__ import annotations

import contextlib
import pathlib
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests import programs
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from axe_playwright_python.sync_playwright import Axe
from playwright import sync_api

WIDE, PHONE = (1280, 900), (390, 844)
# What is out of sight is not laid out, and could not be checked. The page's policy allows no style of others, but this.
ALL_IN_SIGHT = (
    "document.querySelectorAll('section').forEach((section) => { section.style.contentVisibility = 'visible'; })"
)


def executable() -> str:
    """Return the browser's path. If there is none, the tests fail."""
    found = programs.find("chromium")
    if found is None:
        pytest.fail(
            "Chromium is missing. Install it (apt-get install chromium), or set the variable CHROMIUM to its path."
        )
    return found


class Opened(t.NamedTuple):
    """A page, with all that it has complained of or asked for."""

    page: sync_api.Page
    complaints: list[str]
    requests: list[str]

    def rows(self, table: str) -> list[str]:
        """Return the servers of the rows that are shown."""
        found: list[str] = self.page.evaluate(
            "(name) => Array.from(document.querySelectorAll(`table.${name} tbody tr:not([hidden]) th`), "
            "(head) => head.textContent.trim())",
            table,
        )
        return found

    def wait_for(self, selector: str, number: int) -> None:
        """Wait until so many elements are there; what is typed is acted on a moment later."""
        sync_api.expect(self.page.locator(selector)).to_have_count(number, timeout=1000 * PATIENCE)

    def violations(self) -> list[str]:
        """Return what axe-core finds fault with."""
        self.page.evaluate(ALL_IN_SIGHT)
        found = Axe().run(self.page).response
        assert len(found["passes"]) > 30
        return [f"{one['id']}: {node['html']}" for one in found["violations"] for node in one["nodes"]]


@contextlib.contextmanager
def opened(path: pathlib.Path, *, size: tuple[int, int] = WIDE, scheme: t.Any = "light") -> t.Iterator[Opened]:
    """Provide a file in a browser of its own."""
    with sync_api.sync_playwright() as playwright:
        # Its sandbox does not work for root, nor in most containers; it opens nothing but what the tests have written.
        browser = playwright.chromium.launch(
            executable_path=executable(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        try:
            page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
            page.set_default_timeout(1000 * PATIENCE)
            one = Opened(page, [], [])
            page.on("console", lambda message: one.complaints.append(message.text))
            page.on("pageerror", lambda error: one.complaints.append(str(error)))
            page.on("request", lambda request: one.requests.append(request.url))
            page.goto(path.as_uri())
            yield one
        finally:
            browser.close()
