#!/usr/bin/env python3
"""Opens pages of `ferrite report` in a headless browser: they need nothing from elsewhere, log no mistake, fit a
phone's width, names in the picture lie apart, tables are sorted by a click, also of 2,000 kernels. Skipped where there
is no Chromium and none can be installed."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
FERRITE = os.path.join(ROOT, "build", "ferrite")
PROGRAMS = os.path.join(ROOT, "test", "cases", "programs")
PAGES = {  # with what more
    "small_unet": [],
    "dynamic_mlp": [],
    "ragged_rows": [],
    "recurrent_layers": [],
    "loops": [],
    "tiny_vit": ["--donate", "all", "--memory-budget", "1M"],
}
SECTIONS = ("memory", "kernels", "steps", "compile")
OUTSIDE = re.compile(r"""(?:src|href)\s*=|url\(|@import|fetch\(|https?://(?!www\.w3\.org/2000/svg")""")

# Clicks the head of the bytes at the peak and of the steps twice, then says what it sees.
PROBE = """<script>
const mistakes = [];
addEventListener('error', e => mistakes.push(e.message));
addEventListener('load', () => {
  const seen = {mistakes, wide: document.documentElement.scrollWidth - innerWidth, orders: []};
  for (const table of document.querySelectorAll('table')) {
    const heads = [...table.querySelectorAll('th')], k = heads.findIndex(h => h.classList.contains('n'));
    const values = () => [...table.tBodies[0].rows].map(r => +r.cells[k].dataset.v);
    heads[k].click();
    const falling = values().every((v, i, all) => !i || all[i - 1] >= v);
    heads[k].click();
    const rising = values().every((v, i, all) => !i || all[i - 1] <= v);
    seen.orders.push(falling && rising && heads[k].getAttribute('aria-sort') == 'ascending');
  }
  const names = [...document.querySelectorAll('svg.plan .name')].map(n => [n.textContent, n.getBoundingClientRect()]);
  seen.clashes = names.filter(([, a], i) => names.some(([, b], k) => k < i && a.left < b.right && b.left < a.right &&
    a.top < b.bottom && b.top < a.bottom)).map(([name]) => name);
  seen.blocks = document.querySelectorAll('svg.plan rect title').length;
  seen.sections = [...document.querySelectorAll('section')].map(s => s.id).join(' ');
  parent.postMessage(JSON.stringify(seen), '*');
});
</script>"""


def browser():
    names = ("chromium", "chromium-browser", "google-chrome")
    found = [path for path in map(shutil.which, names) if path]
    if not found and subprocess.run(["sh", "tools/setup.sh", "browser"], cwd=ROOT, check=False).returncode == 0:
        found = [path for path in map(shutil.which, names) if path]
    return found[0] if found else None


def look(chromium, page, width, folder):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    probed = os.path.join(folder, "probed.html")
    with open(probed, "w", encoding="utf-8") as file:
        file.write(text.replace("</head>", PROBE + "</head>"))
    # its window is never narrower than 500 pixels: a frame is the phone
    outer = os.path.join(folder, "outer.html")
    with open(outer, "w", encoding="utf-8") as file:
        file.write(
            "<script>onmessage = e => document.body.textContent = e.data;</script>"
            f'<body><iframe src="probed.html" style="border:0;width:{width}px;height:800px"></iframe></body>'
        )
    command = [chromium, "--headless=new", "--disable-gpu", f"--user-data-dir={folder}/profile"]
    command += ["--virtual-time-budget=5000", "--dump-dom", "file://" + outer]
    if os.geteuid() == 0:
        command.insert(1, "--no-sandbox")
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    found = re.search(r"\{.*\}", done.stdout, re.DOTALL)
    if not found:
        raise RuntimeError("the browser shows nothing: " + done.stderr[-500:])
    return text, json.loads(html.unescape(found[0]))


def faults(text, seen):
    if OUTSIDE.search(text):
        yield f"refers to something else: {OUTSIDE.search(text)[0]}"
    if seen["mistakes"]:
        yield f"script: {seen['mistakes']}"
    if seen["wide"] > 0:
        yield f"{seen['wide']} pixels wider than the screen"
    if not seen["orders"] or not all(seen["orders"]):
        yield f"tables are not sorted: {seen['orders']}"
    if not set(SECTIONS) <= set(seen["sections"].split()):
        yield f"sections are {seen['sections']}"
    if seen["clashes"]:
        yield f"names lie upon each other: {seen['clashes']}"


def write_chain(path, length):
    """A program of so many softmaxes, each over what the one before it made, along the other dimension."""
    lines = ["graph main {", '  placeholder %x0 user "x" : f32[8,8]']
    for k in range(length):
        lines.append(f"  %x{k + 1} = aten._softmax.default(%x{k}, {k % 2}, False) : f32[8,8]")
    lines += [f"  output (user %x{length})", "}"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main():
    chromium = browser()
    if not chromium:
        print("no Chromium\n0 passed, 0 failed, 1 skipped")
        return 0
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        long = os.path.join(folder, "long.fx")
        write_chain(long, 2000)
        programs = {os.path.join(PROGRAMS, name + ".pt2"): more for name, more in PAGES.items()}
        for path, more in {**programs, long: ["--quick"]}.items():
            name = os.path.splitext(os.path.basename(path))[0]
            page = os.path.join(folder, name + ".html")
            subprocess.run([FERRITE, "report", path, "-o", page, *more], check=True, stdout=subprocess.DEVNULL, timeout=300)
            for width in (375, 1280):
                found = list(faults(*look(chromium, page, width, folder)))
                passed, failed = passed + (not found), failed + bool(found)
                print(f"{name} at {width} pixels: {'; '.join(found) or 'fine'}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
