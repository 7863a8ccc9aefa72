"""Schedules of operators: a table of strategies, and what uses it."""

from teloom.topi.schedules.implementations import Implementation, OpStrategy
from teloom.topi.schedules.schedule import STRATEGIES, schedule
from teloom.topi.schedules.strategies import Strategies, Strategy

__all__ = [
    "STRATEGIES",
    "Implementation",
    "OpStrategy",
    "Strategies",
    "Strategy",
    "schedule",
]
