"""What an editor completes after `torch.optim.`. Made by `make tables` from the table of operators; do not edit."""

from builtins import bool as _bool
from typing import Any

from . import lr_scheduler as lr_scheduler
from . import optimizer as optimizer
from . import swa_utils as swa_utils
from tensorsh.torch import Tensor as Tensor
from tensorsh.torch.optim.adadelta import Adadelta as Adadelta
from tensorsh.torch.optim.adafactor import Adafactor as Adafactor
from tensorsh.torch.optim.adagrad import Adagrad as Adagrad
from tensorsh.torch.optim.adam import Adam as Adam
from tensorsh.torch.optim.adam import AdamW as AdamW
from tensorsh.torch.optim.adamax import Adamax as Adamax
from tensorsh.torch.optim.asgd import ASGD as ASGD
from tensorsh.torch.optim.lbfgs import LBFGS as LBFGS
from tensorsh.torch.optim.muon import Muon as Muon
from tensorsh.torch.optim.nadam import NAdam as NAdam
from tensorsh.torch.optim.optimizer import Optimizer as Optimizer
from tensorsh.torch.optim.radam import RAdam as RAdam
from tensorsh.torch.optim.rmsprop import RMSprop as RMSprop
from tensorsh.torch.optim.rprop import Rprop as Rprop
from tensorsh.torch.optim.sgd import SGD as SGD
from tensorsh.torch.optim.sparse_adam import SparseAdam as SparseAdam

