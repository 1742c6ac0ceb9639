"""Encoders: models that turn texts into vectors, on this machine or behind an endpoint.

A model turns texts into vectors; `LocalEncoder` does what all local models share. Texts are batched with texts of exactly the same
number of tokens, so nothing is padded or masked, and a text has the same vector to the last bit in any batch: that is why a
batch metric scores each row as if it were alone. Batches run in parallel on threads, each model call on one thread. The embedded
model is built with the package (`hatch_build.py`): one file of weights, and a graph per precision. In int8 each token has its own
scale, for the same reason: a scale of the whole batch would let neighbours change a text's vector. Weights have 7 bits, so that no
processor's 16-bit sums overflow and all give the same whole numbers. onnxruntime's telemetry is
switched off before it is imported.

`CachedEncoder` is between model and metrics: it encodes each distinct text once, keeps vectors in memory (256 MiB) and in the
cache, gives a text that cannot be encoded its own reason, and stops calling an encoder that is down. If the tokens of a text are
needed too, its vector and tokens come from one pass of the model. Metrics take texts in pieces, so the token vectors of a whole
batch never exist at once.

`bertscore` and its two parts share the feature `token_match`; the sentence metrics share `sentence_matrix`, which computes the
matrix of a row from one product.
"""
