"""The loopback server of `ragauge view`: what it serves, who may ask, and the HTTP around it."""
