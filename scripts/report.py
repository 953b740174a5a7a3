#!/usr/bin/env python3
"""One page of all studies: report.py RESULTS PAGE.html [STUDY.xml ...]

RESULTS has a folder for each study, as `make reproduce` leaves them. Tables come from results.md, where published
columns are in italics and say how many times theirs ours is; plots are put into the page. A table whose numbers differ from
published ones by more than a tenth needs a sentence in the study (note="..."); those without one are told at the end.
"""
import csv
import glob
import html
import os
import re
import sys
import xml.dom.minidom

STYLE = """body{font:15px/1.5 sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:.5rem 0}th,td{border:1px solid #ccc;padding:.2rem .6rem;text-align:right}
th:first-child,td:first-child{text-align:left}th em,td.given{color:#06c;font-style:normal}td.far{background:#fff0d0}
p.note{border-left:3px solid #06c;padding-left:.7rem}p.missing{color:#a00}svg,img{max-width:100%;height:auto}
nav li{line-height:1.3}small{color:#666}"""
FAR = 0.1
RATIO = re.compile(r"\(x (\S+)\)")


def is_far(word):
    """Does a published cell differ from ours by more than a tenth?"""
    found = RATIO.search(word)
    return bool(found) and not abs(float(found.group(1)) - 1) <= FAR


def cells(line):
    return [word.strip() for word in line.strip().strip("|").split("|")]


def table_html(lines):
    """A table of results.md; how many published numbers are far off."""
    head = [re.sub(r"^\*(.*)\*$", r"<em>\1</em>", html.escape(w)) for w in cells(lines[0])]
    rows, far = [], 0
    for line in lines[2:]:
        row = ""
        for name, word in zip(head, cells(line)):
            kind = "given" if name.startswith("<em>") else ""
            kind += " far" if is_far(word) else ""
            far += is_far(word)
            row += f'<td class="{kind}">{html.escape(word)}</td>' if kind else f"<td>{html.escape(word)}</td>"
        rows.append(f"<tr>{row}</tr>")
    return "<table><tr>" + "".join(f"<th>{w}</th>" for w in head) + "</tr>" + "".join(rows) + "</table>", far


def section_html(title, lines, problems, study):
    """A part of results.md: what is shown, a table, and the study's note."""
    table = [line for line in lines if line.startswith("|")]
    after = lines[max(i for i, line in enumerate(lines) if line.startswith("|")) + 1:] if table else []
    note = " ".join(line for line in after if line.strip())
    text, far = table_html(table) if table else ("", 0)
    page = f"<h3>{html.escape(title)}</h3>{text}"
    if note:
        page += f'<p class="note">{html.escape(note)}</p>'
    elif far:
        page += f'<p class="missing">{far} numbers differ by more than a tenth; the study does not say why.</p>'
        problems.append(f"{study}: {title}: {far} numbers differ, without a note")
    return page


def plots_html(document, folder):
    page = ""
    for plot in document.getElementsByTagName("plot"):
        path = os.path.join(folder, plot.getAttribute("name") + ".svg")
        if os.path.exists(path):
            svg = open(path, encoding="utf-8").read()
            page += "<figure>" + re.sub(r"^<\?xml[^>]*>", "", svg)
            note = plot.getAttribute("note")
            page += f'<p class="note">{html.escape(note)}</p></figure>' if note else "</figure>"
    return page


def study_html(path, results, problems):
    """Title and contents of one study; None where it was not run."""
    name = os.path.splitext(os.path.basename(path))[0]
    folder = os.path.join(results, name)
    document = xml.dom.minidom.parse(path)
    about = " ".join(" ".join(n.data.split()) for n in document.childNodes if n.nodeType == n.COMMENT_NODE)
    title = document.documentElement.getAttribute("title") or name
    file = os.path.join(folder, "results.md")
    page = f'<h2 id="{name}">{html.escape(title)}</h2><p>{html.escape(about)} <small>studies/{name}.xml</small></p>'
    if not os.path.exists(file):
        problems.append(f"{name}: was not run")
        return title, page + '<p class="missing">was not run</p>'
    parts = re.split(r"^## ", open(file, encoding="utf-8").read(), flags=re.M)
    page += f"<p>{html.escape(' '.join(parts[0].splitlines()[1:]).strip()).replace('`', '')}</p>"
    for part in parts[1:]:
        lines = part.splitlines()
        page += section_html(lines[0], lines[1:], problems, name)
    return title, page + plots_html(document, folder)


# Of each table of the thesis' solvers: title, our column and its, which rows, and why they differ.
SOLVER_TABLES = [
    ("Table 3.3: Cholesky's factor, numbers in both halves", "iterations", "thesis_iterations", "factor",
     "The thesis orders by SYMAMD; degree is ours of the same kind. Its liver is gone: the duck in its place has 2903 "
     "tetrahedra in place of 2616 and another shape, which probably is why its factor fills more."),
    ("Table 3.3: Mflops of the factorisation", "mflops", "thesis_mflops", "factor", "As above."),
    ("Table 3.4: iterations to 1e-6", "iterations", "thesis_iterations", "solve",
     "Steps and material, which are not printed, are chosen so that diagonal blocks take about as many iterations. "
     "threshold-cholesky bounds its memory as well."),
    ("Table 3.4: Mflops of the solve, counted", "mflops", "thesis_mflops", "solve",
     "Ours counts the matrix once per iteration, 2 nnz; the thesis' numbers are 4.1 nnz per iteration with diagonal "
     "blocks, so MATLAB's pcg was probably counted with a second product."),
    ("Table 3.5: setup, ms", "ms_setup", "thesis_ms_setup", "solve", "A Pentium 4 of 2 GHz; UMFPACK beside direct."),
    ("Table 3.5: one solve, ms", "ms_solve", "thesis_ms_solve", "solve", "As above; the thesis has means over four tolerances."),
]


def solver_cell(row, ours, theirs):
    """Our number, and that of the thesis with how many times theirs ours is."""
    if not row or row[ours] in ("", "0"):
        return "", ""
    mine, given = float(row[ours]), float(row[theirs] or 0)
    return f"{mine:g}", f"{given:g} (x {mine / given:.3g})" if given else "-"


def solvers_html(results):
    """Tables 3.3 to 3.5 of the thesis from `pliant bench solvers --csv`; None where that was not run."""
    path = os.path.join(results, "solvers.csv")
    if not os.path.exists(path):
        return None
    rows = [row for row in csv.DictReader(open(path, encoding="utf-8")) if not row["matrix"].startswith("bar ")]
    matrices = list(dict.fromkeys(row["matrix"] for row in rows))
    page = '<h2 id="solvers">Hauth, tables 3.3 to 3.5: solvers on three matrices</h2><p>pliant bench solvers</p>'
    for title, ours, theirs, kind, note in SOLVER_TABLES:
        lines = ["| |" + "".join(f" {m} | *thesis* |" for m in matrices), "|-|"]
        found = [row for row in rows if (row["solver"] == "factor") == (kind == "factor")]
        for who in dict.fromkeys((row["solver"], row["preconditioner"]) for row in found):
            of = {row["matrix"]: row for row in found if (row["solver"], row["preconditioner"]) == who}
            pairs = [solver_cell(of.get(m), ours, theirs) for m in matrices]
            if any(pair[0] for pair in pairs):
                lines.append(f"| {', '.join(who)} |" + "".join(f" {a} | {b} |" for a, b in pairs))
        page += f'<h3>{title}</h3>{table_html(lines)[0]}<p class="note">{note}</p>'
    return page


def main():
    results, page = sys.argv[1:3]
    studies = sys.argv[3:] or sorted(glob.glob("studies/*.xml"))
    problems, parts, index = [], [], []
    for path in studies:
        title, text = study_html(path, results, problems)
        name = os.path.splitext(os.path.basename(path))[0]
        parts.append(text)
        index.append(f'<li><a href="#{name}">{html.escape(title)}</a> <small>{name}</small></li>')
    solvers = solvers_html(results)
    if solvers:
        parts.append(solvers)
        index.append('<li><a href="#solvers">Hauth, tables 3.3 to 3.5: solvers on three matrices</a> <small>pliant bench solvers</small></li>')
    elif not sys.argv[3:]:
        problems.append("solvers: there is no solvers.csv of pliant bench solvers")
    told = "".join(f"<li>{html.escape(p)}</li>" for p in problems)
    text = (f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Pliant: reproduction</title><style>{STYLE}</style>'
            "<h1>What the sources report, and what we find</h1><p>Published numbers are blue; (x 1.2) means that ours is 1.2 times "
            "that. What differs by more than a tenth is yellow, and the sentence below its table says why.</p>"
            f"<nav><ol>{''.join(index)}</ol></nav>{''.join(parts)}"
            + (f"<h2>Not explained</h2><ul>{told}</ul>" if told else "") + "</html>\n")
    with open(page + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(page + ".part", page)
    print(f"{page}: {len(studies)} studies, {len(problems)} things not explained")
    for problem in problems:
        print("  " + problem)


if __name__ == "__main__":
    main()
