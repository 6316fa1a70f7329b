# SPDX-License-Identifier: Apache-2.0
"""Results in notebooks: the page inside of a frame, several on one page, and a sentence where there is no viewer."""
import html
import os
import re
import shutil
import subprocess

import pytest
import zeno
import zeno.look

PROBE = """
<script>
setTimeout(() => {
    const found = [...document.querySelectorAll("iframe")].map((frame) => {
        const inside = frame.contentDocument;
        return `${inside.querySelector("h1").textContent}|${inside.querySelectorAll("canvas").length}|${inside.querySelectorAll("input[type=range]").length}`;
    });
    document.body.insertAdjacentHTML("beforeend", `<pre id="found">${found.join("\\n")}</pre>`);
}, 3000);
</script>
"""


def needs_the_viewer(result):
    try:
        result.page()
    except zeno.Error as error:
        pytest.skip(str(error))


def test_without_a_viewer_there_is_a_sentence(ball, monkeypatch):
    def no_page(result):
        raise zeno.SceneError("the viewer is <missing>")

    result = zeno.Scene(ball).run(end=0.1)
    monkeypatch.setattr(zeno.look, "page", no_page)
    text = result._repr_html_()
    assert "the viewer is &lt;missing&gt;" in text and "zeno.Result" in text and "iframe" not in text
    with pytest.raises(zeno.SceneError, match="viewer"):
        result.show()


def test_the_frame_holds_the_page(ball, monkeypatch):
    result = zeno.Scene(ball).run(end=0.1)
    content = '<!doctype html><p title="a&amp;b">"quotes" \'and\' </iframe> ü</p>'
    monkeypatch.setattr(zeno.look, "page", lambda result: content)
    (inside,) = re.findall(r'<iframe srcdoc="([^"]*)"', result._repr_html_())
    assert html.unescape(inside) == content


def test_several_results_on_one_page_of_a_browser(root, tmp_path):
    results = [zeno.load(root / "scenes" / "rotating-ball.yaml").run(), zeno.load(root / "scenes" / "slider-crank-parts.yaml").run(end=0.02)]
    needs_the_viewer(results[0])
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not browser:
        pytest.skip("there is no chromium")
    (tmp_path / "page.html").write_text("<!doctype html><html><body>" + "".join(result._repr_html_() for result in results) + PROBE + "</body></html>", encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # a checker's library is for us, not for the browser
    done = subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--virtual-time-budget=6000",
                           f"--user-data-dir={tmp_path}/profile", "--dump-dom", (tmp_path / "page.html").as_uri()], capture_output=True, text=True, timeout=300, check=True,
                          env=environment)
    shown = re.findall(r'<pre id="found">(.+?)</pre>', done.stdout, re.S)
    found = [line.split("|") for line in shown[-1].splitlines()]
    assert [title for title, _, _ in found] == [result.title for result in results]
    assert all(int(canvases) >= 2 and int(sliders) >= 1 for _, canvases, sliders in found), found  # the animation and plots


def test_a_notebook_shows_results(root, tmp_path):
    nbformat, nbconvert = pytest.importorskip("nbformat"), pytest.importorskip("nbconvert.preprocessors")
    pytest.importorskip("ipykernel")
    path = root / "scenes" / "rotating-ball.yaml"
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell(text) for text in (f"import zeno\nresult = zeno.load({str(path)!r}).run()\nresult",
                                                               "zeno.look.page = lambda result: '<p>page</p>'\nresult.show(300)\n3", "zeno.load('nothing')")]
    executor = nbconvert.ExecutePreprocessor(timeout=100, allow_errors=True)
    executor.preprocess(book, {"metadata": {"path": str(tmp_path)}})
    first, second, third = (cell.outputs for cell in book.cells)
    assert "text/html" in first[0].data and "zeno.Result" in first[0].data["text/plain"]
    assert "srcdoc" in second[0].data["text/html"] and 'height="300"' in second[0].data["text/html"] and second[1].data["text/plain"] == "3"
    assert [output.output_type for output in second] == ["display_data", "execute_result"]  # and no warnings
    assert third[0].ename == "SceneError"
