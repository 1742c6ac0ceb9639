"""The public names of `ragauge.stats` and where each comes from."""

from .aggregates import AGGREGATES as AGGREGATES
from .aggregates import parts_of as parts_of
from .agreement import cohen_kappa as cohen_kappa
from .corrections import benjamini_hochberg as benjamini_hochberg
from .corrections import holm as holm
from .difference_intervals import PairedInterval as PairedInterval
from .difference_intervals import PairedParts as PairedParts
from .difference_intervals import paired_intervals as paired_intervals
from .effects import detectable_difference as detectable_difference
from .effects import effect_size as effect_size
from .exchanges import swap_test as swap_test
from .intervals import Estimate as Estimate
from .intervals import bootstrap as bootstrap
from .paired_tests import mcnemar_test as mcnemar_test
from .paired_tests import paired_t_test as paired_t_test
from .paired_tests import wilcoxon_test as wilcoxon_test
from .sign_patterns import PValue as PValue
from .sign_patterns import randomization_p_values as randomization_p_values
from .tests import PairedTest as PairedTest
from .tests import pairwise_randomization as pairwise_randomization
from .tests import randomization_test as randomization_test
