#!/usr/bin/python3
"""docs.py PLIANT FOLDER: the manual as HTML, readable without a network.

Pages are README.md, CONTRIBUTING.md, CHANGELOG.md, SECURITY.md and everything below docs/; a page for each public
header, from its comments, and one for each command, from its --help. search.js holds the words of every page.
Ends with an error where a link leads nowhere."""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import markdown

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
SECTIONS = [
    ("Begin", ["README", "docs/tutorials/*"]),
    ("Guides", ["docs/contact", "docs/haptics", "docs/materials", "docs/elements", "docs/meshing", "docs/refinement", "docs/cloth", "docs/grids", "docs/solvers", "docs/studies",
                "docs/fitting", "docs/formats", "docs/doors", "docs/viewer", "docs/python", "docs/browser", "docs/many-machines"]),
    ("Reference", ["docs/scene", "command/*", "api/*"]),
    ("Theory and proof", ["docs/methods", "docs/validation", "docs/promises", "docs/performance", "docs/reproduction/*"]),
    ("Project", ["docs/architecture", "CONTRIBUTING", "CHANGELOG", "SECURITY", "docs/*"]),
]

STYLE = """
:root { color-scheme: light dark; --edge: #8884; --quiet: #8881; --link: #0b62b8; }
@media (prefers-color-scheme: dark) { :root { --link: #7cb8f7; } }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 17em minmax(0, 1fr); }
nav { padding: 1em; border-right: 1px solid var(--edge); height: 100vh; overflow: auto; position: sticky; top: 0;
  box-sizing: border-box; font-size: 0.92em; }
nav h2 { font-size: 0.8em; text-transform: uppercase; letter-spacing: 0.05em; margin: 1.2em 0 0.3em; opacity: 0.7; }
nav a { display: block; padding: 0.1em 0; text-decoration: none; }
nav a[aria-current] { font-weight: 600; }
nav input { width: 100%; box-sizing: border-box; padding: 0.4em; font: inherit; }
main { padding: 1em 2.5em 4em; max-width: 60em; box-sizing: border-box; width: 100%; }
a { color: var(--link); }
pre { background: var(--quiet); padding: 0.8em 1em; overflow: auto; border-radius: 4px; }
code { font-size: 0.92em; } pre code { font-size: 0.82em; } :not(pre) > code { background: var(--quiet); padding: 0 0.2em; border-radius: 3px; }
table { border-collapse: collapse; display: block; overflow: auto; }
th, td { border: 1px solid var(--edge); padding: 0.25em 0.6em; text-align: left; vertical-align: top; }
.contents { border: 1px solid var(--edge); border-radius: 4px; padding: 0.4em 0.8em; } .contents p { margin: 0.4em 0; }
img { max-width: 100%; } blockquote { border-left: 3px solid var(--edge); margin-left: 0; padding-left: 1em; }
#found { list-style: none; padding: 0; } #found li { margin: 0.4em 0; } #found small { display: block; opacity: 0.75; }
@media (max-width: 45em) { body { display: block; } nav { position: static; height: auto; max-height: 45vh; border: 0;
  border-bottom: 1px solid var(--edge); } main { padding: 1em; } }
"""

SCRIPT = """
const box = document.getElementById('search'), found = document.getElementById('found');
const root = document.body.dataset.root;
function look() {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  found.replaceChildren();
  if (!words.length) return;
  const hits = [];
  for (const page of PAGES) {
    const title = page.title.toLowerCase(), text = page.text.toLowerCase();
    if (!words.every(word => title.includes(word) || text.includes(word))) continue;
    let score = 0;
    for (const word of words) score += (title.includes(word) ? 50 : 0) + Math.min(20, text.split(word).length - 1);
    hits.push({page, score, at: text.indexOf(words[0])});
  }
  hits.sort((a, b) => b.score - a.score);
  for (const {page, at} of hits.slice(0, 12)) {
    const item = document.createElement('li'), link = document.createElement('a'), about = document.createElement('small');
    link.href = root + page.path;
    link.textContent = page.title;
    about.textContent = '... ' + page.text.slice(Math.max(0, at - 40), at + 100) + ' ...';
    item.append(link, about);
    found.append(item);
  }
}
box.addEventListener('input', look);
"""


class Page:
    def __init__(self, path, title, body, source=None):
        self.path, self.title, self.body, self.source = path, title, body, source


def title_of(text, fallback):
    match = re.search(r"^# (.+)$", text, re.M)
    return re.sub(r"[`*]", "", match.group(1)) if match else fallback


def run_block(pliant, text, path, folder, words, wanted):
    """Runs a scene or study of a tutorial in a folder with that of the first one; keeps what is wanted of its results beside the page."""
    first = re.search(r"```xml\n(.*?)```", (ROOT / "docs/tutorials/1-first-body.md").read_text(), re.S).group(1)
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        (place / "bar.xml").write_text(first)
        (place / "block.xml").write_text(text)
        subprocess.run([pliant, *words, "-q", place / "block.xml", "-o", place / "out"], check=True)
        page = folder / path
        page.parent.mkdir(parents=True, exist_ok=True)
        for name, kept in wanted.items():
            shutil.copyfile(place / "out" / name, page.with_name(kept))
        tables = place / "out/results.md"
        return tables.read_text() if tables.exists() else ""


def show_results(pliant, text, path, folder):
    """A picture behind every scene of a tutorial, tables and plots behind every study."""
    def scene(match):
        name = f"{pathlib.Path(path).stem}-{match.start()}.png"
        run_block(pliant, match.group(1), path, folder, ["run"], {"picture.png": name})
        return f"{match.group(0)}\n<p><img src=\"{name}\" alt=\"The last frame of this scene\"></p>\n"

    def study(match):
        plots = re.findall(r'<plot name="([^"]+)"', match.group(1))
        names = {f"{plot}.svg": f"{pathlib.Path(path).stem}-{plot}.svg" for plot in plots}
        tables = run_block(pliant, match.group(1), path, folder, ["study"], names)
        pictures = "".join(f"<p><img src=\"{name}\" alt=\"A plot of this study\"></p>\n" for name in names.values())
        return match.group(0) + "\n" + "".join(re.findall(r"\n\|.*?(?=\n\n|\n*$)", tables, re.S)) + "\n\n" + pictures

    text = re.sub(r"```xml\n(<pliant.*?)```\n", scene, text, flags=re.S)
    return re.sub(r"```xml\n(<study.*?)```\n", study, text, flags=re.S)


def contents_of(tokens):
    """Links to the sections of a long page."""
    tokens = tokens[0]["children"] if len(tokens) == 1 else tokens
    if len(tokens) < 6:
        return ""
    links = " &middot; ".join(f'<a href="#{token["id"]}">{token["name"]}</a>' for token in tokens)
    return f"<details class=contents><summary>On this page</summary><p>{links}</p></details>\n"


def markdown_pages(pliant, folder):
    for source in [ROOT / name for name in TOP] + sorted((ROOT / "docs").rglob("*.md")):
        text = source.read_text()
        path = source.relative_to(ROOT).with_suffix(".html")
        if source.parent.name == "tutorials":
            text = show_results(pliant, text, path, folder)
        if path.name == "README.html":
            path = path.with_name("index.html")
        converter = markdown.Markdown(extensions=["tables", "fenced_code", "toc", "sane_lists"])
        body = converter.convert(text)
        body = body.replace("</h1>\n", "</h1>\n" + contents_of(converter.toc_tokens), 1)
        yield Page(str(path), title_of(text, source.stem), body, source)


def header_pages():
    """A header as its comments and declarations, one after the other."""
    for source in sorted((ROOT / "include/pliant").glob("*.h")):
        text = source.read_text()
        head = re.match(r"/\*(.*?)\*/", text, re.S)
        about = re.sub(r"^ \* ?", "", head.group(1), flags=re.M).strip()
        example = re.findall(r"^  (.*)$", about, re.M)
        parts = [f"<h1>&lt;pliant/{source.name}&gt;</h1>"]
        prose = re.sub(r"(?:^  .*\n?)+", "\0", about, flags=re.M)
        parts += [f"<p>{html.escape(p)}</p>" for p in re.split(r"\0|\n\n", prose) if p.strip()]
        if example:
            parts.append(f"<pre><code>{html.escape(chr(10).join(example))}</code></pre>")
        rest = text[head.end():]
        rest = re.sub(r"#ifdef __cplusplus.*?#endif\n|#ifndef PLIANT_.*?_H\n#define .*?_H\n|#endif\s*$", "", rest, flags=re.S)
        for piece in re.split(r"^/\* ---- (.*?) ---- \*/$", rest, flags=re.M):
            if "\n" not in piece.strip() and piece.strip() and not piece.strip().startswith("#"):
                parts.append(f'<h2 id="{html.escape(piece.strip().replace(" ", "-"))}">{html.escape(piece.strip().capitalize())}</h2>')
            elif piece.strip():
                parts.append(f"<pre><code>{html.escape(piece.strip())}</code></pre>")
        yield Page(f"api/{source.stem}.html", f"<pliant/{source.name}>", "\n".join(parts), source)


def run(pliant, *words):
    return subprocess.run([pliant, *words], check=True, capture_output=True, text=True).stdout


def command_pages(pliant):
    def names(*words):
        return re.findall(r"^  ([a-z]+) +\S", run(pliant, *words, "--help"), re.M)
    commands = [(name,) for name in names()]
    commands += [("mesh", name) for name in names("mesh")]
    for words in commands:
        title = "pliant " + " ".join(words)
        text = html.escape(run(pliant, *words, "--help"))
        yield Page(f"command/{'-'.join(words)}.html", title, f"<h1>{title}</h1>\n<pre><code>{text}</code></pre>")


def sections_of(pages):
    left = {page.path: page for page in pages}
    for title, patterns in SECTIONS:
        chosen = []
        for pattern in patterns:
            wanted = "index" if pattern == "README" else pattern
            for path in sorted(left):
                if pathlib.PurePath(path).match(wanted + ".html") and path.count("/") == wanted.count("/"):
                    chosen.append(left.pop(path))
        yield title, chosen
    assert not left, f"in no section: {list(left)}"


def words_of(body):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", body))).strip()


def relink(page, pages, folder):
    """Links to sources become links to pages; files that are shown are copied. Returns the broken ones."""
    by_source = {p.source: p for p in pages if p.source}
    broken = []

    def one(match):
        kind, target = match.group(1), html.unescape(match.group(2))
        if re.match(r"[a-z]+:|#", target) or not page.source:
            return match.group(0)
        name, _, anchor = target.partition("#")
        if ((folder / page.path).parent / name).is_file():
            return match.group(0)
        source = (page.source.parent / name).resolve()
        # lines of the README that other pages quote
        if not source.exists():
            source = (ROOT / name).resolve()
        if source in by_source:
            other = by_source[source]
            if anchor and f'id="{anchor}"' not in other.body:
                broken.append(f"{page.source.name}: {target}")
            path = other.path
        elif source.is_file() and ROOT in source.parents:
            path = str(source.relative_to(ROOT))
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, folder / path)
        elif source.is_dir() and ROOT in source.parents:
            return match.group(0).replace(match.group(2), "#")
        else:
            broken.append(f"{page.source.name}: {target}")
            return match.group(0)
        up = "../" * page.path.count("/")
        return f'{kind}="{html.escape(up + path + ("#" + anchor if anchor else ""))}"'

    page.body = re.sub(r'\b(href|src)="([^"]*)"', one, page.body)
    broken += [f"{page.path}: #{a}" for a in re.findall(r'href="#([^"]+)"', page.body) if f'id="{a}"' not in page.body]
    return broken


def write(page, sections, folder):
    up = "../" * page.path.count("/")
    links = []
    for title, pages in sections:
        links.append(f"<h2>{title}</h2>")
        for other in pages:
            here = ' aria-current="page"' if other is page else ""
            links.append(f'<a href="{up}{other.path}"{here}>{html.escape(other.title)}</a>')
    text = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(page.title)} - Pliant</title><link rel="stylesheet" href="{up}style.css"></head>
<body data-root="{up}"><nav><input id="search" type="search" placeholder="Search" aria-label="Search"><ul id="found"></ul>
{chr(10).join(links)}
</nav><main>
{page.body}
</main><script src="{up}pages.js"></script><script src="{up}search.js"></script></body></html>
"""
    path = folder / page.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main(pliant, folder):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pages = [*markdown_pages(pliant, folder), *header_pages(), *command_pages(pliant)]
    sections = list(sections_of(pages))
    broken = [link for page in pages for link in relink(page, pages, folder)]
    for page in pages:
        write(page, sections, folder)
    index = [{"path": page.path, "title": page.title, "text": words_of(page.body)} for page in pages]
    (folder / "pages.js").write_text("const PAGES = " + json.dumps(index) + ";\n")
    (folder / "search.js").write_text(SCRIPT)
    (folder / "style.css").write_text(STYLE)
    for link in broken:
        print("a link leads nowhere:", link, file=sys.stderr)
    print(f"{len(pages)} pages in {folder}")
    return 1 if broken else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: docs.py PLIANT FOLDER")
    sys.exit(main(sys.argv[1], sys.argv[2]))
