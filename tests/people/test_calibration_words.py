from types import SimpleNamespace

import pytest

from ragauge.people.calibration import agreement_in_words, beside_people
from ragauge.people.rater_agreement import Ceiling
from ragauge.stats.intervals import Estimate


@pytest.mark.parametrize(
    ("area", "words"),
    [
        ((0.97, 0.91, 0.99), "agrees very well with people"),
        ((0.97, 0.89, 0.99), "agrees at least well with people"),
        ((0.85, 0.62, 0.95), "agrees at least weakly with people"),
        ((1.00, 0.59, 1.00), "agrees with people, but these labels do not show how well"),
        ((0.95, None, None), "agrees with people, but these labels do not show how well"),
        ((0.55, 0.51, 0.60), "hardly agrees with people"),
        ((0.70, 0.40, 0.90), "cannot be told from chance on these labels"),
    ],
)
def test_the_lower_end_of_the_interval_decides_how_well(area, words):
    figure = Estimate(*area)
    agreement = SimpleNamespace(auroc=figure, main=figure)
    assert agreement_in_words(agreement).startswith(f"{words}: AUROC {area[0]:.2f}")


def test_the_figures_of_a_metric_and_of_people_are_named():
    ceiling = Ceiling(0.74, 0.47, Estimate(0.27, -0.1, 0.5))
    assert beside_people(ceiling, "kappa") == (
        "; as far as these labels show, as well as two people agree (kappa 0.74 with a person, "
        "0.47 between two people)"
    )
