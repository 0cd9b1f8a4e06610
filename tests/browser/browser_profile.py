"""One browser profile for many tests, empty at the start of each.

A new profile parses and compiles all scripts of the workbench anew, three times the work of a page
in one that has seen them. So tests share a page; between them nothing is left but what is compiled.
"""

from urllib.parse import urlsplit

from playwright.sync_api import Browser, Frame, Page

KINDS = "file_systems,indexeddb,local_storage,websql,service_workers,cache_storage"
OUTSIDE = (-10, -10)


class Profile:
    """A context with one page, and the addresses that it has been to."""

    def __init__(self, browser: Browser, patience_ms: int) -> None:
        self.browser, self.patience_ms = browser, patience_ms
        self.shared: Page | None = None
        self.origins: set[str] = set()

    def page(self) -> Page:
        """A page that has been nowhere; a new profile where there is none."""
        if self.shared is None:
            context = self.browser.new_context(
                viewport={"width": 1440, "height": 900},
                color_scheme="light",
                reduced_motion="reduce",
                accept_downloads=True,
            )
            context.set_default_timeout(self.patience_ms)
            self.shared = context.new_page()
            self.shared.on("framenavigated", self._note)
        return self.shared

    def close(self) -> None:
        """Do without the profile and all that it holds."""
        if self.shared is not None:
            self.shared.context.close()
        self.shared = None
        self.origins = set()

    def clean(self) -> None:
        """Empty every store of every address, forget where the mouse is, close further pages."""
        page = self.page()
        for other in page.context.pages:
            if other is not page:
                other.close()
        page.route("**/*", lambda route: route.fulfill(body="", content_type="text/html"))
        for origin in sorted(self.origins):
            page.goto(origin)
            page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
            self._forget(page, origin)
        page.goto("about:blank")
        page.unroute_all()
        self.origins = set()
        page.context.clear_cookies()
        page.context.clear_permissions()
        page.mouse.move(*OUTSIDE)
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        page.set_viewport_size({"width": 1440, "height": 900})

    def _forget(self, page: Page, origin: str) -> None:
        tools = page.context.new_cdp_session(page)
        tools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": KINDS})
        tools.detach()

    def _note(self, frame: Frame) -> None:
        place = urlsplit(frame.url)
        if place.scheme in ("http", "https"):
            self.origins.add(f"{place.scheme}://{place.netloc}")
