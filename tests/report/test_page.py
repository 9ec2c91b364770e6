"""The page of a report in a real browser: it works, asks for nothing, and can be used by all."""

import re
from pathlib import Path

import pytest

from support.browser import opened
from support.program import run_ok

pytestmark = pytest.mark.ours

DEMO = Path(__file__).resolve().parents[2] / "testdata" / "demo.cool"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    run_ok(
        "zoomify", "--quiet", "--balance", "--resolutions", "10000,40000,80000,160000,320000",
        DEMO, "--out", folder / "demo.mcool", "--report", folder / "page.html",
    )  # fmt: skip
    return folder / "page.html"


def shown(page, selector):
    return page.locator(selector).evaluate_all(
        "found => found.map(e => getComputedStyle(e).display !== 'none')"
    )


def test_it_opens_without_complaint_and_pictures_are_there(path):
    with opened(path) as (page, complaints):
        widths = page.evaluate(
            """() => Promise.all([...document.querySelectorAll('image')].map(async (e) => {
                 const picture = new Image();
                 picture.src = e.getAttribute('href');
                 await picture.decode();
                 return [picture.naturalWidth, Number(e.ownerSVGElement.dataset.cells)];
               }))"""
        )
        assert len(widths) >= 4
        assert all(width == cells > 8 for width, cells in widths)
        # Nothing sticks out sideways, on a desk or on a telephone.
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert complaints == []


def test_maps_switch_between_balanced_and_raw_with_the_keyboard(path):
    with opened(path) as (page, complaints):
        assert all(shown(page, ".heatmap .balanced")) and not any(shown(page, ".heatmap .raw"))
        page.focus("#show-balanced")
        page.keyboard.press("ArrowRight")
        assert all(shown(page, ".heatmap .raw")) and not any(shown(page, ".heatmap .balanced"))
        assert complaints == []


def test_tables_sort(path):
    with opened(path) as (page, complaints):
        heading = page.locator("#levels ~ .scroll th", has_text="Pixels")
        column = "#levels ~ .scroll tbody td:nth-child(3)"

        def numbers():
            return [int(t.replace(",", "")) for t in page.locator(column).all_inner_texts()]

        before = numbers()
        heading.locator("button").focus()
        page.keyboard.press("Enter")
        assert heading.get_attribute("aria-sort") == "descending"
        assert numbers() == sorted(before, reverse=True)
        page.keyboard.press("Enter")
        assert heading.get_attribute("aria-sort") == "ascending"
        assert numbers() == sorted(before)
        assert complaints == []


def test_values_under_the_pointer(path):
    with opened(path) as (page, complaints):
        tip = page.locator(".tip")
        figure = page.locator(".maps .heatmap").first
        figure.scroll_into_view_if_needed()
        figure.hover(position={"x": 100, "y": 100})
        page.wait_for_timeout(100)
        figure.hover(position={"x": 102, "y": 102})
        assert re.fullmatch(
            r"chr1: .+ – .+\nchr1: .+ – .+\n(about .+ balanced|.+ or (less|more) balanced|left out.*)",
            tip.inner_text(),
        )
        page.focus("#track")
        page.keyboard.press("ArrowRight")
        assert "contacts each Mb" in tip.inner_text()
        page.keyboard.press("Escape")
        assert tip.is_hidden()
        # On a point of the finest level, the table says the same as the pointer.
        distance, _, contacts = page.evaluate(
            "JSON.parse(document.getElementById('numbers').textContent).levels[0].decay[5]"
        )
        place = page.evaluate(
            """([distance]) => {
                 const svg = document.getElementById('decay');
                 const [left, top, width, height, xLow, xHigh, yLow, yHigh] =
                   svg.dataset.plane.split(' ').map(Number);
                 const [d, density] = [distance, JSON.parse(document.getElementById('numbers')
                   .textContent).levels[0].decay[5][1]];
                 svg.scrollIntoView({block: 'center'});
                 const at = new DOMPoint(left + width * Math.log(d / xLow) / Math.log(xHigh / xLow),
                   top + height - height * Math.log(density / yLow) / Math.log(yHigh / yLow))
                   .matrixTransform(svg.getScreenCTM());
                 return [at.x, at.y];
               }""",
            [distance],
        )
        page.mouse.move(*place)
        assert f"{contacts:,} contacts" in tip.inner_text()
        assert complaints == []


def test_rounds_of_balancing_under_the_pointer(path):
    with opened(path) as (page, complaints):
        assert page.locator("#variance path.decay title").all_inner_texts()
        number, variance, x, y = page.evaluate(
            """() => {
                 const svg = document.getElementById('variance');
                 const [left, top, width, height, xLow, xHigh, yLow, yHigh] =
                   svg.dataset.plane.split(' ').map(Number);
                 const variances = JSON.parse(document.getElementById('numbers').textContent)
                   .levels[0].variances;
                 svg.scrollIntoView({block: 'center'});
                 const at = new DOMPoint(
                   left + width * (variances.length - xLow) / (xHigh - xLow),
                   top + height - height * Math.log(variances.at(-1) / yLow) / Math.log(yHigh / yLow))
                   .matrixTransform(svg.getScreenCTM());
                 return [variances.length, variances.at(-1), at.x, at.y];
               }"""
        )
        page.mouse.move(x, y)
        said = page.locator(".tip").inner_text()
        assert f"10 kb bins, round {number}" in said
        assert float(said.split("variance ")[1]) == pytest.approx(variance, rel=0.01)
        assert complaints == []


def test_the_keyboard_reaches_everything_in_the_order_of_the_page(path):
    with opened(path) as (page, complaints):
        wanted = page.evaluate(
            """() => [...document.querySelectorAll(
                 'a[href], input:checked, button, summary, [tabindex="0"]')]
               .filter((e) => !e.closest('details:not([open])') || e.tagName === 'SUMMARY')
               .map((e, i) => e.dataset.stop = String(i))"""
        )
        met = []
        for _ in wanted:
            page.keyboard.press("Tab")
            met.append(page.evaluate("document.activeElement.dataset.stop"))
            # Where one is can be seen: an outline, or the link that only then appears.
            seen = page.evaluate(
                """() => { const e = document.activeElement, s = getComputedStyle(e);
                     return e.className === 'skip' || e.type === 'radio' ||
                       s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1; }"""
            )
            assert seen, page.evaluate("document.activeElement.outerHTML.slice(0, 90)")
        assert met == wanted and len(met) > 30
        # Arrow keys walk over a figure, and what they meet is said aloud.
        page.focus("#variance")
        for _ in range(60):
            page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowRight")
        page.focus("#track")
        page.keyboard.press("Shift+ArrowRight")
        tip = page.locator(".tip")
        assert "contacts each Mb" in tip.inner_text()
        assert tip.get_attribute("aria-live") == "polite"
        page.keyboard.press("Escape")
        assert tip.is_hidden()
        assert complaints == []


def test_dark_light_and_paper(path):
    with opened(path, color_scheme="light") as (page, complaints):
        colour = "getComputedStyle(document.body).backgroundColor"
        light = page.evaluate(colour)
        page.emulate_media(color_scheme="dark")
        dark = page.evaluate(colour)
        assert sum(map(int, re.findall(r"\d+", light))) > 700 > 100 > sum(
            map(int, re.findall(r"\d+", dark))
        )
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate(colour) == "rgb(255, 255, 255)"
        assert not any(shown(page, "header.bar"))
        assert all(shown(page, ".heatmap .balanced .bar"))
        assert page.pdf(format="A4").startswith(b"%PDF")
        assert complaints == []


def test_readers_of_the_screen_find_names_for_all_they_meet(path):
    with opened(path) as (page, complaints):
        nameless = page.evaluate(
            """() => [...document.querySelectorAll('svg[role=img], section, [role=region], table')]
               .filter((e) => !(e.ariaLabel || e.caption?.textContent ||
                 document.getElementById(e.getAttribute('aria-labelledby'))?.textContent))
               .map((e) => e.outerHTML.slice(0, 80))"""
        )
        assert nameless == []
        assert page.evaluate("document.documentElement.lang") == "en"
        levels = page.evaluate("[...document.querySelectorAll('h1,h2')].map((e) => e.tagName)")
        assert levels[0] == "H1" and levels.count("H1") == 1
        assert page.locator("th:not([scope])").count() == 0
        assert complaints == []


def test_it_is_complete_without_its_script(path):
    with opened(path, java_script_enabled=False) as (page, complaints):
        assert page.locator("table tbody tr").count() > 10
        assert page.locator("image").count() >= 4
        page.locator("#show-raw").check()
        assert page.locator(".heatmap .raw").first.is_visible()
        assert complaints == []
