"""A real browser for tests and pictures: Debian's Chromium, driven by Playwright, watched for errors and requests."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, ConsoleMessage, Error, Page, Request, async_playwright

from ..waiting import PATIENCE

AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text(encoding="utf-8")
NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in NAMES if (found := shutil.which(name))), None)
SERIOUS = ("serious", "critical")


class Watched:
    """A page of the browser, and what went wrong in it."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        self.problems: list[str] = []
        self.may_fail = False
        """The server is gone on purpose: requests fail."""
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not self.may_fail:
            self.problems.append(f"{message.type}: {message.text}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.base, "data:")):
            self.problems.append(f"asked another host: {request.url}")

    async def open(self, path: str) -> None:
        await self.page.goto(self.base + path, wait_until="load")

    async def until(self, expression: str) -> None:
        """Until it holds, in a page that has come whole: after a click another one may still be on its way.

        The policy of the page forbids the browser's own way of waiting, which needs `eval`.
        """
        whole = f"document.readyState !== 'loading' && Boolean({expression})"
        async with asyncio.timeout(PATIENCE):
            while not await self.holds(whole):  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.02)

    async def holds(self, expression: str) -> bool:
        try:
            holds: bool = await self.page.evaluate(expression)
        except Error as error:
            if "context was destroyed" in error.message:  # asked while the page left for another one
                return False
            raise
        return holds

    async def inaccessible(self) -> list[str]:
        """What axe finds that is serious, each in a line."""
        await self.page.evaluate(AXE)
        found: dict[str, Any] = await self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{one['id']} ({one['impact']}): {one['help']}: {one['nodes'][0]['html'][:200]}"
            for one in found["violations"]
            if one["impact"] in SERIOUS
        ]

    async def too_wide(self) -> bool:
        """Whether one has to scroll sideways."""
        wide: bool = await self.page.evaluate("document.documentElement.scrollWidth > innerWidth + 1")
        return wide

    async def sticking_out(self) -> list[str]:
        """Beginnings of panels whose content is wider than they are, so that what is beside them lies over it."""
        found: list[str] = await self.page.evaluate(
            "[...document.querySelectorAll('.panel')].filter(panel => panel.scrollWidth > panel.clientWidth + 1)"
            ".map(panel => panel.textContent.trim().slice(0, 60))"
        )
        return found


@asynccontextmanager
async def browser() -> AsyncIterator[Browser]:
    """The browser; without a sandbox of its own, as root in a container has none."""
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield opened
        finally:
            await opened.close()


@asynccontextmanager
async def watched(opened: Browser, base: str, width: int = 1024, **options: Any) -> AsyncIterator[Watched]:
    """A page of so many pixels; at its end nothing may have gone wrong in it."""
    context = await opened.new_context(viewport={"width": width, "height": 800}, **options)
    context.set_default_timeout(PATIENCE * 1000)
    page = Watched(await context.new_page(), base.rstrip("/"))
    try:
        yield page
    finally:
        await context.close()
    assert page.problems == [], page.problems
