"""The public names of `ragauge.stats` and where each comes from."""

from .aggregates import AGGREGATES as AGGREGATES
from .aggregates import parts_of as parts_of
from .agreement import cohen_kappa as cohen_kappa
from .agreement import krippendorff_alpha as krippendorff_alpha
from .corrected_rates import CorrectedRate as CorrectedRate
from .corrected_rates import prediction_powered as prediction_powered
from .corrected_rates import rogan_gladen as rogan_gladen
from .corrections import holm as holm
from .intervals import Estimate as Estimate
from .intervals import bootstrap as bootstrap
from .label_plan import LabelNeed as LabelNeed
from .label_plan import labels_needed as labels_needed
from .rank_agreement import auroc as auroc
from .rank_agreement import kendall_tau_b as kendall_tau_b
from .rank_agreement import spearman as spearman
from .tests import PairedTest as PairedTest
from .tests import pairwise_randomization as pairwise_randomization
from .tests import randomization_test as randomization_test
