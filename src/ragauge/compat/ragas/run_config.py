"""ragas's limits for requests."""


class RunConfig:
    """Accepted, without effect: ragauge adapts the number of requests to what the endpoint accepts."""

    def __init__(self, **options: object) -> None:
        self.options = options
