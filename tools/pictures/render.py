# SPDX-License-Identifier: Apache-2.0
"""render.py FOLDER SCREEN-80x24.ansi...: FOLDER/SCREEN-80x24.svg, a picture of each.

rich reads the terminal's colours and knows how many cells a character takes; here its
runs of one style become text and rectangles on a grid of cells. Text stays text, in the
reader's own monospace font, stretched to the cells. SCREEN.txt beside the input, if it
is there, is the same in sentences, and becomes the picture's description.
"""
import os
import re
import sys
from html import escape

from rich.cells import cell_len
from rich.terminal_theme import TerminalTheme
from rich.text import Text

WIDTH, HEIGHT, BASE, EDGE = 9.6, 19, 14.5, 8
THEME = TerminalTheme(
    (22, 24, 29), (214, 217, 222),
    [(40, 44, 52), (224, 108, 117), (152, 195, 121), (229, 192, 123),
     (97, 175, 239), (198, 120, 221), (86, 182, 194), (200, 204, 212)],
    [(110, 118, 135), (255, 135, 144), (181, 224, 150), (245, 214, 150),
     (130, 200, 255), (220, 150, 240), (120, 210, 220), (255, 255, 255)])
GROUND, INK = THEME.background_color.hex, THEME.foreground_color.hex


def runs(line):
    """(cell, style, text) of a line with escapes, a style's text at a time."""
    text = Text.from_ansi(line)
    styles = [None] * len(text.plain)
    for span in text.spans:
        for i in range(span.start, span.end):
            styles[i] = span.style if styles[i] is None else styles[i] + span.style
    cell, start = 0, 0
    for i in range(1, len(styles) + 1):
        if i == len(styles) or styles[i] != styles[start]:
            piece = text.plain[start:i]
            yield cell, styles[start], piece
            cell, start = cell + cell_len(piece), i


def colours(style):
    """Ink and ground of a style, and what else it says."""
    if style is None:
        return INK, None, ""
    ink = style.color.get_truecolor(THEME).hex if style.color else INK
    ground = style.bgcolor.get_truecolor(THEME, False).hex if style.bgcolor else None
    if style.reverse:
        ink, ground = ground or GROUND, ink
    more = ' font-weight="bold"' if style.bold else ""
    more += ' opacity=".65"' if style.dim else ""
    more += ' text-decoration="underline"' if style.underline else ""
    more += ' font-style="italic"' if style.italic else ""
    return ink, ground, more


def words(cell, piece):
    """(cell, text) of what is no blank; each wide character stands alone."""
    for match in re.finditer(r"\S+(?: \S+)*", piece):
        at, narrow = cell + cell_len(piece[:match.start()]), ""
        for char in match.group():
            if narrow and cell_len(char) > 1:
                yield at, narrow
                at, narrow = at + cell_len(narrow), ""
            narrow += char
            if cell_len(char) > 1:
                yield at, narrow
                at, narrow = at + cell_len(narrow), ""
        if narrow:
            yield at, narrow


def number(n):
    return f"{n:.1f}".rstrip("0").rstrip(".")


def draw_run(row, cell, style, piece):
    ink, ground, more = colours(style)
    if ground:
        yield (f'<path fill="{ground}" d="M{number(cell * WIDTH)} {row * HEIGHT}'
               f'h{number(cell_len(piece) * WIDTH)}v{HEIGHT}H{number(cell * WIDTH)}z"/>')
    for at, text in words(cell, piece):
        fill = f' fill="{ink}"' if ink != INK else ""
        yield (f'<text x="{number(at * WIDTH)}" y="{number(row * HEIGHT + BASE)}"'
               f' textLength="{number(cell_len(text) * WIDTH)}"{fill}{more}>'
               f"{escape(text, False)}</text>")


def draw(lines, columns, rows, title, words_of_it):
    width, height = columns * WIDTH + 2 * EDGE, rows * HEIGHT + 2 * EDGE
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {height}"'
           f' width="{number(width)}" role="img">')
    yield f"<title>{escape(title)}</title>"
    if words_of_it:
        yield f"<desc>{escape(words_of_it, False)}</desc>"
    yield f'<rect width="100%" height="100%" rx="6" fill="{GROUND}"/>'
    yield (f'<g transform="translate({EDGE} {EDGE})" fill="{INK}" font-size="16"'
           ' font-family="DejaVu Sans Mono,Menlo,Consolas,monospace"'
           ' lengthAdjust="spacingAndGlyphs">')
    for row, line in enumerate(lines[:rows]):
        drawn = [draw_run(row, *run) for run in runs(line)]
        yield from (part for one in drawn for part in one)
    yield "</g>\n</svg>\n"


def main(folder, paths):
    for path in paths:
        screen, columns, rows = re.search(r"([^/]+)-(\d+)x(\d+)\.ansi$", path).groups()
        words_path = os.path.join(os.path.dirname(path), screen + ".txt")
        said = open(words_path, encoding="utf-8").read() if os.path.exists(words_path) else ""
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        title = f"warpshop: {screen}, {columns} x {rows}"
        with open(f"{folder}/{screen}-{columns}x{rows}.svg", "w", encoding="utf-8") as out:
            out.write("\n".join(draw(lines, int(columns), int(rows), title, said)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
