"""Encoders: models that turn texts into vectors, on this machine or behind an endpoint.

Local models batch texts of exactly the same number of tokens, so nothing is padded or masked, and a text
has the same vector to the last bit in any batch. Batches run in parallel, each model call on one thread.
The embedded model is built with the package (`hatch_build.py`): weights, and a graph per precision. In
int8 each token has its own scale, since one of the whole batch would let neighbours change a text's
vector, and weights have 7 bits, so that no processor's 16-bit sums overflow. `CachedEncoder` is between
model and metrics: it encodes each distinct text once, keeps vectors in memory and in the cache, gives a
text that cannot be encoded its own reason, and stops calling an encoder that is down.
"""
