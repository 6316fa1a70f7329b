# SPDX-License-Identifier: Apache-2.0
"""Animations by the viewer of `zeno page`, and the tables of bench/peers, where they are there."""
import html
import os
import re
from pathlib import Path

ROWS, NUMBERS = 400, 40000  # of one animation

MOUNT = """<script>
const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        watch.unobserve(entry.target);
        const data = JSON.parse(document.getElementById("data-" + entry.target.dataset.system).textContent);
        ZenoViewer.mount(entry.target, data, { plots: false, height: 320 });
    }
}, { rootMargin: "300px" });
document.querySelectorAll(".animation").forEach((element) => watch.observe(element));
</script>"""


def viewer_script(zeno):
    """The bundled viewer: where the program itself looks for it."""
    folder = Path(zeno).parent
    given = os.environ.get("ZENO_VIEWER")
    places = [Path(given)] if given else [folder / "viewer" / "zeno-viewer.js", folder.parent / "viewer" / "zeno-viewer.js"]
    for place in places:
        if place.exists():
            return place.read_text()
    return None


def script(text):
    """Inside a page a script ends at the first </script."""
    return re.sub(r"<(?=/script|!--)", r"<\\", text, flags=re.IGNORECASE)


class Animator:
    """Runs a system once more with few rows into HDF5, which holds its drawing, and takes the viewer's data from it."""

    def __init__(self, zeno, runner):
        self.runner, self.viewer, self.data = runner, viewer_script(zeno), {}

    def add(self, system, results):
        """The place of the animation in the page, or None without a viewer or a drawing."""
        tag, scheme = system.drawn
        result = results.runs.get((tag, scheme))
        if self.viewer is None or result is None or result.status != "ok":
            return None
        rows = min(ROWS, NUMBERS // len(result.names))
        data = self.runner.page_data(result.run, max(1, result.summary["steps"] // rows))
        if data is None or '"drawing":null' in data.replace(" ", ""):
            return None
        self.data[system.name] = data
        return (f'<figure><div class="animation" data-system="{system.name}"></div><figcaption>Animation ({html.escape(scheme)}'
                f'{", " + html.escape(tag) if tag else ""})</figcaption></figure>')

    def scripts(self):
        if not self.data:
            return ""
        blocks = [f'<script type="application/json" id="data-{name}">{text.replace("</", chr(60) + chr(92) + "/")}</script>' for name, text in self.data.items()]
        return "".join(blocks) + f"<script>{script(self.viewer)}</script>" + MOUNT


def peers_section(folder, artist):
    """What `make peers` has left: tables and plots of the same systems in other programs."""
    table = Path(folder) / "peers.html"
    if not table.exists():
        return ('<section id="peers"><h2>Other programs</h2><p class="note">`make peers` compares with Siconos, MuJoCo, Rapier and Jolt where they can be '
                "installed; its tables and plots then appear here.</p></section>")
    plots = "".join(f'<figure><div class="picture">{artist.inline(path)}</div><figcaption>{html.escape(path.stem.replace("-", " "))}</figcaption></figure>'
                    for path in sorted(Path(folder).glob("*.svg")))
    return f'<section id="peers"><h2>Other programs</h2><div class="wide">{table.read_text()}</div><div class="figures">{plots}</div></section>'

