"""A real browser for pages that the program makes: headless Chromium of the system."""

import contextlib
import shutil

import pytest

NAMES = ("chromium-headless-shell", "chromium", "google-chrome")


@contextlib.contextmanager
def opened(path, **how):
    """A page in a browser, and what went wrong on it: (page, list of complaints).

    Complaints are script errors, messages on the console, and requests for anything but the page
    itself. A browser that is missing fails the test: it must not pass for a page that is fine.
    """
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.fail("no browser: install one of " + ", ".join(NAMES))
    from playwright.sync_api import sync_playwright

    address = path.resolve().as_uri()
    complaints = []

    def requested(request):
        if request.url != address and not request.url.startswith("data:"):
            complaints.append(f"asks for {request.url}")

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 900}, **how)
            page.on("request", requested)
            page.on("pageerror", lambda error: complaints.append(f"script error: {error}"))
            page.on("console", lambda message: complaints.append(f"console: {message.text}"))
            page.goto(address)
            yield page, complaints
        finally:
            browser.close()
