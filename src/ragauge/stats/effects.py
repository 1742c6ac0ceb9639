"""How large a difference is, and how large it would have to be to be found."""

from ragauge.stats.distributions import t_quantile
from ragauge.stats.intervals import Floats1d
from ragauge.stats.resampling import floats
from ragauge.stats.rounding import has_spread, in_units, mean_of

LEVEL, POWER = 0.05, 0.8


def effect_size(differences: Floats1d) -> float | None:
    """Cohen's d_z: the mean of paired differences (n,) over their standard deviation.

    Any real number; about 0.2 is small, 0.5 medium, 0.8 large. None for fewer than two differences,
    and if all are equal but for rounding; PlanError for one that is not finite. Source: Cohen 1988, section 2.3.5.

    >>> import numpy as np
    >>> effect_size(np.array([1.0, 2.0, 3.0]))
    2.0
    """
    values = floats(differences, "differences")
    if len(values) < 2 or not has_spread(values):
        return None
    values = in_units(values)
    return mean_of(values) / float(values.std(ddof=1))


def detectable_difference(standard_error: float, n: int) -> float | None:
    """The smallest difference that a test at level 0.05 finds with power 0.8.

    `standard_error` is that of the mean difference, from n questions or clusters:
    (t(0.975) + t(0.8)) times it, with n - 1 degrees of freedom. It differs from the exact value, by the
    noncentral t distribution, by less than 2 % from n = 5 on. None for fewer than two questions and for
    no spread. Source: Bloom 1995.

    >>> round(detectable_difference(0.02, 250), 4)  # about 2.8 standard errors
    0.0563
    """
    if n < 2 or not standard_error > 0:
        return None
    return (t_quantile(1 - LEVEL / 2, n - 1) + t_quantile(POWER, n - 1)) * standard_error
