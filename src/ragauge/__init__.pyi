"""The public names and where each comes from: the one table of them, read by ragauge and by type checkers."""

from . import metrics as metrics
from .asking.ask import Answers as Answers
from .asking.ask import ask as ask
from .comparing.compare import compare as compare
from .comparing.comparison import Comparison as Comparison
from .encoders.embedded import MiniLM as MiniLM
from .encoders.endpoint import Endpoint as Endpoint
from .encoders.huggingface import HuggingFace as HuggingFace
from .errors import DataError as DataError
from .errors import EncoderError as EncoderError
from .errors import JudgeError as JudgeError
from .errors import LabelError as LabelError
from .errors import MetricError as MetricError
from .errors import PlanError as PlanError
from .errors import RagaugeError as RagaugeError
from .errors import StoreError as StoreError
from .evaluation import evaluate as evaluate
from .evaluation import open_run as open_run
from .evaluation import score as score
from .evaluation.forecast import estimate as estimate
from .evaluation.judge_bias import judge_bias as judge_bias
from .judges.config import JudgeConfig as JudgeConfig
from .judges.providers.endpoint import ChatEndpoint as ChatEndpoint
from .judges.providers.scripted import ScriptedJudge as ScriptedJudge
from .loaders.loading import load as load
from .metric import feature as feature
from .metric import metric as metric
from .on_ray.executor import Ray as Ray
from .questions.checking import CheckedQuestions as CheckedQuestions
from .questions.checking import check_questions as check_questions
from .questions.making import MadeQuestions as MadeQuestions
from .questions.making import questions as questions
from .rankings.fusion import fuse as fuse
from .rankings.rank import RankingResult as RankingResult
from .rankings.rank import rank as rank
from .run import Run as Run
from .samples.samples import Samples as Samples
from .score import Score as Score
from .score import Status as Status
from .suite import Suite as Suite

__version__: str
