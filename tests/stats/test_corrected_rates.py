import numpy as np
import pytest
from cases import cases
from pytest import approx

from ragauge.errors import PlanError
from ragauge.stats.agreement import share_interval
from ragauge.stats.corrected_rates import power_tuning, prediction_powered, rogan_gladen

NAN = np.nan


def made(n, n_other):
    """Labels, values and unlabelled values, without a random generator."""
    values = np.array([((7 * i * i + 3 * i) % 101) / 100 for i in range(n + n_other)])
    labels = np.array([float(((5 * i * i + i) % 17) / 17 < values[i]) for i in range(n)])
    return values, np.concatenate([labels, np.full(n_other, NAN)])


# ppi-python 0.2.3, ppi_mean_ci(Y, Yhat, Yhat_unlabeled, alpha=0.05, lam=…).
PPI_PYTHON = [
    (40, 160, None, 0.3861621579569174, 0.6584035778898265),
    (40, 160, 1.0, 0.39226393066036336, 0.6718610693396366),
    (40, 160, 0.0, 0.3450512419238596, 0.6549487580761404),
    (100, 50, None, 0.38378618251974733, 0.5676865495881585),
    (100, 50, 1.0, 0.331367574718657, 0.5604324252813428),
    (100, 50, 0.0, 0.39202140237319877, 0.5879785976268013),
]


@pytest.mark.parametrize(("n", "n_other", "tuning", "low", "high"), PPI_PYTHON)
def test_without_the_small_sample_correction_the_interval_is_ppi_pythons(
    n, n_other, tuning, low, high
):
    found = prediction_powered(*made(n, n_other), tuning=tuning, small_sample=False)
    assert (found.low, found.high) == approx((low, high), abs=1e-9)


def test_the_estimate_is_the_labels_mean_moved_by_the_metric():
    # Labelled: labels 1 0 1 1 (mean 3/4), values 1 0 0 1 (1/2); others' values 1 1 0 1 1 (4/5).
    values = np.array([1, 0, 0, 1, 1, 1, 0, 1, 1], float)
    labels = np.array([1, 0, 1, 1, NAN, NAN, NAN, NAN, NAN])
    assert prediction_powered(values, labels, tuning=0.5).value == approx(0.75 + 0.5 * (0.8 - 0.5))
    # Cov = 5/8 - 3/4 · 1/2 = ... of products 1 0 0 1: 1/2 - 3/8 = 1/8; Var of 6 ones in 9: 1/4.
    tuning = power_tuning(labels[:4], values[:4], values[4:])
    assert tuning == approx((1 / 8) / ((1 + 4 / 5) * (1 / 4)))


def test_with_every_row_labelled_the_metric_adds_nothing():
    values, labels = np.array([0.9, 0.2, 0.4, 0.7]), np.array([1.0, 0, 1, 1])
    found = prediction_powered(values, labels)
    assert (found.value, found.tuning) == (0.75, 0.0)
    # Nor does a metric that runs against the labels.
    found = prediction_powered(np.array([0, 1, 0, 1, 1, 0.0]), np.array([1, 0, 1, 0, NAN, NAN]))
    assert (found.value, found.tuning) == (0.5, 0.0)
    assert prediction_powered(np.array([1.0, 0.0]), np.array([1.0, NAN])) is None


def test_labels_without_an_error_still_leave_doubt():
    values = np.array([1.0, 0.0] * 100)
    labels = np.where(np.arange(200) < 50, values, NAN)
    plain = prediction_powered(values, labels, tuning=1, small_sample=False)
    found = prediction_powered(values, labels, tuning=1)
    assert found.high - found.low > plain.high - plain.low + 0.01


def test_grades_keep_their_scale():
    grades = np.array([1.0, 5, 4, 2, 3, NAN, NAN, NAN, NAN, NAN])
    values = np.array([0.1, 0.9, 0.9, 0.2, 0.4, 0.9, 0.8, 1.0, 0.9, 0.9])
    found = prediction_powered(values, grades)
    assert 3 < found.value <= 5 and 1 <= found.low < found.value < found.high <= 5


@pytest.mark.slow
def test_a_mean_grade_of_few_labels_may_have_lower_ones_unseen():
    """Ten grades, 90 % of them 5, 7 % 4 and 3 % 1: where no 1 is among them, the scale says that it may be."""
    random, covered = np.random.default_rng(7), {None: 0, (1.0, 5.0): 0}
    for _ in range(1_000):
        grades = random.choice([5.0, 4.0, 1.0], p=[0.9, 0.07, 0.03], size=300)
        labels = np.where(np.arange(300) < 10, grades, NAN)
        for scale in covered:
            rate = prediction_powered(grades + random.normal(size=300), labels, scale=scale)
            covered[scale] += rate.low <= 4.81 <= rate.high
    assert covered[1.0, 5.0] >= 950 and covered[None] < 750


def test_shifting_or_scaling_the_metric_changes_nothing():
    values, labels = made(60, 200)
    one, other = prediction_powered(values, labels), prediction_powered(3 * values + 7, labels)
    assert (other.value, other.low, other.high) == approx((one.value, one.low, one.high))


def test_repeated_rows_of_a_question_do_not_narrow_the_interval():
    values, labels = made(40, 80)
    once = prediction_powered(values, labels, small_sample=False)
    rows, questions = (np.tile(values, 3), np.tile(labels, 3)), np.tile(np.arange(120), 3)
    thrice = prediction_powered(*rows, questions=questions, small_sample=False)
    assert (thrice.low, thrice.high) == approx((once.low, once.high), abs=1e-3)


def test_labels_of_few_questions_say_little_and_those_of_one_nothing():
    # Four questions of ten rows, 8, 6, 6 and 4 of them yes, and half a row at each of four corners.
    labels = np.concatenate([np.arange(10) < n_yes for n_yes in (8, 6, 6, 4)]).astype(float)
    values, questions = np.arange(40) % 2, np.arange(40) // 10
    found = prediction_powered(values, labels, questions=questions)
    # The middle c is 25 / 42, the variance the sum of (n_yes - 10 c)² and c² + (1 - c)², over 42²: 0.069527².
    # The quantiles of Student's t are 3.18245 with 3 and 2.02269 with 39 degrees of freedom.
    margin = 1.959964 * 0.069527 * 3.18245 / 2.02269
    assert (found.low, found.high) == approx((25 / 42 - margin, 25 / 42 + margin), abs=1e-5)
    assert prediction_powered(values, labels, questions=np.zeros(40)) is None


def test_rogan_and_gladen_worked_out_by_hand():
    # Labels yes: 9 of 10 called yes; no: 2 of 10. All 20 + 80 rows: 50 + 11 called yes, 61 of 100.
    verdicts = np.array([1] * 9 + [0] + [1] * 2 + [0] * 8 + [1] * 50 + [0] * 30, dtype=bool)
    labels = np.array([1.0] * 10 + [0.0] * 10 + [NAN] * 80)
    found = rogan_gladen(verdicts, labels)
    assert found.value == approx((0.61 - 0.2) / (0.9 - 0.2))
    assert found.low < found.value < found.high and not found.is_clipped
    assert (found.n_labels, found.n_rows) == (20, 100)


def test_with_every_row_labelled_rogan_gladen_is_the_share_of_yes():
    verdicts, labels = np.array([1, 1, 0, 0, 1, 0, 1, 0], bool), [1, 1, 0, 1, 1, 0, 0, 0.0]
    assert rogan_gladen(verdicts, np.array(labels)).value == approx(0.5)


def test_a_rate_beyond_the_scale_is_clipped_and_says_so():
    # Share 9/10 of the others, sensitivity 3/4, no false alarms: 25 of 28 over 3/4 is above 1.
    verdicts = np.array([1, 1, 1, 0] + [0] * 4 + [1] * 20, bool)
    labels = np.array([1.0] * 4 + [0.0] * 4 + [NAN] * 20)
    found = rogan_gladen(verdicts, labels)
    assert (found.value, found.high, found.is_clipped) == (1.0, 1.0, True)


def test_a_metric_no_better_than_chance_corrects_nothing():
    verdicts = np.array([1, 0, 1, 0, 1], bool)
    assert rogan_gladen(verdicts, np.array([1.0, 1, 0, 0, NAN])) is None
    assert rogan_gladen(verdicts, np.array([1.0, 1, 1, 1, NAN])) is None
    # Hardly better than chance leaves the whole scale.
    verdicts = np.array([1, 1, 0, 0, 1, 0, 0, 0] + [1, 0] * 20, bool)
    found = rogan_gladen(verdicts, np.array([1.0] * 4 + [0.0] * 4 + [NAN] * 40))
    assert (found.low, found.high) == (0.0, 1.0)


@cases(
    (lambda: prediction_powered([1, NAN], [1, 0]), "values\\[1\\] is nan; leave out rows"),
    (lambda: prediction_powered([1, 0, 1], [1, 0]), "got 3 values, 2 labels"),
    (lambda: rogan_gladen([0.3, 1], [1, 0]), "verdicts must be yes or no"),
    (lambda: rogan_gladen([True, False], [5, 1]), "labels must be from 0 to 1"),
    (lambda: prediction_powered(["a"], [1]), "values must be numbers"),
)
def test_what_is_no_number_is_refused(call, message):
    with pytest.raises(PlanError, match=message):
        call()


def coverage(
    seed: int,
    n_draws: int,
    *,
    truth: float,
    n: int,
    n_rows: int,
    sensitivity: float = 0.9,
    specificity: float = 0.8,
    is_score: bool = False,
    rows_per_question: int = 1,
    half_yes: bool = False,
) -> dict[str, float]:
    """How often each interval holds the true rate.

    The rows have a yes-or-no judge with these errors, or a skewed score in which a third of the wrong
    answers look right. The rows of the first n questions are labelled, or n rows of which half are yes.
    Several rows of a question share its hardness, beta(1.5, 1), whose mean is 0.6.
    """
    random = np.random.default_rng(seed)
    n_questions = n_rows // rows_per_question
    questions = np.repeat(np.arange(n_questions), rows_per_question)
    covered = dict.fromkeys(("naive", "ppi", "rogan_gladen"), 0)
    for _ in range(n_draws):
        rates = truth if rows_per_question == 1 else random.beta(1.5, 1, n_questions)[questions]
        is_yes = random.random(n_rows) < rates
        if is_score:
            looks = is_yes | (random.random(n_rows) < 1 / 3)
            values = np.where(looks, random.beta(5, 1, n_rows), random.beta(1, 4, n_rows))
        else:
            right, wrong = (random.random(n_rows) for _ in range(2))
            values = np.where(is_yes, right < sensitivity, wrong > specificity).astype(float)
        is_labelled = questions < n
        if half_yes:
            is_labelled = np.zeros(n_rows, bool)
            is_labelled[np.flatnonzero(is_yes)[: n // 2]] = True
            is_labelled[np.flatnonzero(~is_yes)[: n // 2]] = True
        labels = np.where(is_labelled, is_yes.astype(float), NAN)
        said = values >= 0.5
        found = {
            "naive": share_interval(float(said.mean()), len(said)),
            "ppi": _bounds(prediction_powered(values, labels, questions=questions)),
            "rogan_gladen": _bounds(rogan_gladen(said, labels, questions=questions)),
        }
        for name, (low, high) in found.items():
            covered[name] += low <= truth <= high
    return {name: n / n_draws for name, n in covered.items()}


def _bounds(rate):
    return (0.0, 1.0) if rate is None else (rate.low, rate.high)


def test_corrected_rates_cover_where_the_naive_rate_does_not():
    found = coverage(0, 200, truth=0.6, sensitivity=0.95, specificity=0.75, n=200, n_rows=1_000)
    assert found["naive"] < 0.1
    assert found["ppi"] >= 0.91 and found["rogan_gladen"] >= 0.91


@pytest.mark.slow
@cases(
    (0.5, 0.9, 0.8, 100, 1_000),
    (0.8, 0.95, 0.8, 200, 1_000),
    (0.95, 0.97, 0.9, 200, 1_000),
    (0.1, 0.8, 0.95, 200, 2_000),
    (0.7, 0.99, 0.98, 100, 500),
    (0.6, 0.9, 0.8, 300, 400),
)
def test_intervals_of_corrected_rates_cover_at_their_level(
    truth, sensitivity, specificity, n, n_rows
):
    errors = {"sensitivity": sensitivity, "specificity": specificity}
    found = coverage(1, 1_000, truth=truth, n=n, n_rows=n_rows, **errors)
    # 0.95 ± 2 standard errors of 1,000 draws, and a little more where few rows disagree.
    assert 0.93 <= found["ppi"] <= 0.985 and 0.93 <= found["rogan_gladen"] <= 0.99
    # The naive rate is right only by luck, where missed and wrong yes are equally many.
    bias = truth * (1 - sensitivity) - (1 - truth) * (1 - specificity)
    assert found["naive"] < 0.9 or abs(bias) < 0.002


@pytest.mark.slow
def test_intervals_of_other_rows_cover_at_their_level():
    score = coverage(2, 1_000, truth=0.7, n=150, n_rows=900, is_score=True)
    assert 0.93 <= score["ppi"] <= 0.975 and 0.93 <= score["rogan_gladen"] <= 0.985
    assert score["naive"] < 0.1
    # Four systems answer each question, and hard questions are hard for all.
    shared = coverage(3, 1_000, truth=0.6, n=50, n_rows=600, rows_per_question=4)
    assert 0.92 <= shared["ppi"] <= 0.975 and 0.92 <= shared["rogan_gladen"] <= 0.985
    # Labels of eight questions, ten rows each: 0.89 with the normal distribution's quantile.
    few = coverage(5, 1_000, truth=0.6, n=8, n_rows=1_000, rows_per_question=10)
    assert few["ppi"] >= 0.92 and few["rogan_gladen"] >= 0.92
    # Half of the labels are yes, whatever the rate: then prediction-powered inference is wrong.
    mixed = coverage(4, 1_000, truth=0.8, n=200, n_rows=1_000, half_yes=True)
    assert 0.93 <= mixed["rogan_gladen"] <= 0.985 and mixed["ppi"] < 0.5
