"""The HTML page of runs: its typed data, and the one file that `page.py` writes from the built code, the view and chunks.

Numbers that people read as aggregates are formatted in Python, so the page and the terminal show the same digits.
Evidence is copied as the JSON that is stored; the page recognizes its items by the table that the terminal uses.
`ragauge view` serves the same page and the same chunks, each made when it is asked for. Of a large run the first page comes
from `results.json`, a column is read by itself, and a block reads the rows and the batches of its questions.

The code is TypeScript with Preact, bundled by esbuild; `make page` rebuilds it, and a slow test compares the bytes. Charts are
small SVG components: Observable Plot is 253 kB minified, more than half of what the page may weigh.
"""
