"""For tests of deciders and adapters: scenarios, golden samples, contract suites."""

from .samples import check_samples
from .scenario import Scenario, given

__all__ = ["Scenario", "check_samples", "given"]
