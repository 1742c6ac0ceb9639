"""What reaches other machines: addresses, keys and retries; keys are removed from every text."""
