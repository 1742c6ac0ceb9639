"""The public names of `ragauge.stats` and where each comes from."""

from .aggregates import AGGREGATES as AGGREGATES
from .aggregates import parts_of as parts_of
from .agreement import cohen_kappa as cohen_kappa
from .corrections import holm as holm
from .intervals import Estimate as Estimate
from .intervals import bootstrap as bootstrap
from .tests import PairedTest as PairedTest
from .tests import pairwise_randomization as pairwise_randomization
from .tests import randomization_test as randomization_test
