"""The HTML page of runs: its typed data and the file.

`page/page.py` writes one HTML file: the built code and style from `report/page/`, the view as JSON, then chunks.
`page/view.py` has the types of the view and `views/evidence.py` those of evidence; `web/make_types.py` generates
`web/src/view.ts` from both, and a test compares. `page/ranking_page.py` makes the same view of the rankings of `ragauge rank`.
Numbers that people read as aggregates are formatted in Python, so the page and the terminal show the same digits.

Chunks are zlib-compressed columns (scores, fields) and blocks (texts and evidence of some consecutive questions), each in a data
element of its own after the code. The browser shows the overview before it has read them, and decodes one when a view needs it.
Evidence is copied as the JSON that is stored; the page recognizes its items by the table that the terminal uses.

The page is TypeScript with Preact and signals, bundled by esbuild. Charts are small SVG components: Observable Plot is 253 kB
minified, more than half of what the page may weigh. `ragauge view` serves the same page and the same chunks, each made when it is
asked for. Of a large run the first page comes from `results.json`, a column is read by itself, and a block reads the rows and the batches
of its questions. `make page` rebuilds it; a slow test rebuilds it and compares the bytes.
"""
