import numpy as np
import pytest
from cases import cases
from pytest import approx

from ragauge.errors import PlanError
from ragauge.stats.agreement import alpha_of, cohen_kappa, kappa_of, krippendorff_alpha

LEFT = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
RIGHT = [1, 1, 1, 1, 0, 0, 0, 0, 1, 0]


@cases(
    # They agree on 8 of 10. Both say 1 five times, so chance agrees on 0.5 * 0.5 twice, a half:
    # (0.8 - 0.5) / (1 - 0.5).
    (LEFT, RIGHT, 0.6),
    # Agreement on 2 of 3; chance: 0 has 1/3 * 1/3, 0.5 has 1/3 * 2/3, 1 has 1/3 * 0: 1/3.
    ([0, 0.5, 1], [0, 0.5, 0.5], 0.5),
    ([1, 0], [1, 0], 1),
    ([1, 0], [0, 1], -1),  # agreement on none; chance 1/2
)
def test_kappa_is_the_agreement_beyond_chance(left, right, kappa):
    assert cohen_kappa(left, right) == approx(kappa)


N = None
# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C: four observers, twelve units.
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]


@cases(("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849))
def test_alpha_is_that_of_krippendorffs_own_example(level, published):
    assert round(krippendorff_alpha(PUBLISHED, level), 3) == published


def test_alpha_of_two_raters_worked_out_by_hand():
    # Items 11, 10, 00, 00. Ordered unequal pairs: 2. Ratings: three 1, five 0, so 2 · 3 · 5 = 30
    # unequal pairs of 8 ratings. alpha = 1 - (8 - 1) · 2 / 30 = 16/30.
    assert krippendorff_alpha([[1, 1, 0, 0], [1, 0, 0, 0]]) == approx(16 / 30)


def test_where_chance_alone_agrees_there_is_no_kappa_and_no_alpha():
    for ratings in ([], [1], [0, 0, 0]):
        assert cohen_kappa(ratings, list(ratings)) is None
    for ratings in ([], [[1, 0]], [[1, N], [N, 0]], [[1, 1], [1, 1]]):
        assert krippendorff_alpha(ratings) is None


def test_a_resampled_alpha_is_that_of_the_repeated_items():
    items, ratings = [], []
    for of_rater in PUBLISHED:
        for item, rating in enumerate(of_rater):
            if rating is not None:
                items.append(item)
                ratings.append(float(rating))
    times = [0, 2, 1, 3, 1, 1, 0, 1, 2, 1, 1, 1]
    repeated = [
        [rating for rating, n in zip(row, times, strict=True) for _ in range(n)]
        for row in PUBLISHED
    ]
    weights = np.array([[times[item] for item in items]], dtype=float)
    for level in ("nominal", "ordinal", "interval"):
        drawn = alpha_of(np.array(items), np.array(ratings), level)(weights)[0]
        assert drawn == approx(krippendorff_alpha(repeated, level))


def test_a_resampled_kappa_is_that_of_the_repeated_rows():
    left, right = np.array([1.0, 1, 0, 0, 2]), np.array([1.0, 0, 0, 2, 2])
    times = np.array([1, 2, 3, 1, 2])
    expected = cohen_kappa(np.repeat(left, times).tolist(), np.repeat(right, times).tolist())
    assert kappa_of(left, right)(times[None].astype(float))[0] == approx(expected)


def test_nominal_ratings_may_be_words_and_nan_is_missing():
    words = [["a", "b", "c", None], ["a", "c", "c", "b"]]
    numbers = [[1, 2, 3, float("nan")], [1, 3, 3, 2]]
    assert krippendorff_alpha(words) == approx(krippendorff_alpha(numbers))


def test_alpha_with_missing_ratings_is_that_of_the_package_krippendorff():
    ratings = [
        [N if (rater + item) % 4 == 0 else (item + rater * item % 3 // 2) % 5 for item in range(30)]
        for rater in range(4)
    ]
    # krippendorff 0.9.0, alpha(…, level_of_measurement=…) of these ratings.
    theirs = {"nominal": 0.5603581352269219, "ordinal": 0.582379253771444}
    theirs["interval"] = 0.5820563519525457
    ours = {level: krippendorff_alpha(ratings, level) for level in theirs}
    assert ours == approx(theirs, abs=1e-12)


def test_what_cannot_be_compared_is_refused():
    for call, said in (
        (lambda: cohen_kappa([1, 0], [1, float("nan")]), r"right\[1\] is nan"),
        (lambda: cohen_kappa([1, 0], [1]), "2 left, 1 right"),
        (lambda: krippendorff_alpha([[1, 0], [1]]), "raters have 2, 1 ratings"),
    ):
        with pytest.raises(PlanError, match=said):
            call()
