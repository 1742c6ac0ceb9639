"""Where judges come from: endpoints, other providers, scripts and recordings."""
