# SPDX-License-Identifier: Apache-2.0
"""Statistics of paired measurements: medians, ratios of pairs, and their interval by the bootstrap."""
import dataclasses
import random
import statistics

RESAMPLES = 2000
SHARE = 0.95
LEAST_PAIRS = 3  # with fewer there is no interval to speak of
ENOUGH_PAIRS = 6  # with fewer, chance alone puts them all on one side of 1 more often than in 5 % of cases


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Ours beside theirs, smaller is better: the median ratio of the pairs and its 95 % interval."""
    ours: float
    theirs: float
    ratio: float
    low: float
    high: float
    pairs: int

    def verdict(self, target=None):
        """`loss` and `win` where the interval says so, else `open`; `behind` for a win that surely misses its target."""
        if self.pairs < LEAST_PAIRS:
            return "open"
        if self.low > 1:
            return "loss"
        if target is not None and self.low > target:
            return "behind"
        return "win" if self.high < 1 else "open"


def quantile(ordered, share):
    """Linear between the two nearest of an ordered list."""
    at = share * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (at - below)


def bootstrap_interval(values, share=SHARE, resamples=RESAMPLES):
    """The interval that holds the median of `share` of the resamples. The same values always give the same interval."""
    if len(values) < 2:
        return (values[0], values[0])
    source = random.Random(len(values))
    medians = sorted(statistics.median(source.choices(values, k=len(values))) for _ in range(resamples))
    return quantile(medians, (1 - share) / 2), quantile(medians, (1 + share) / 2)


def compare(ours, theirs):
    """Compares figures by repetition; both are dictionaries from repetition to figure. None without a common repetition."""
    pairs = [(ours[key], theirs[key]) for key in sorted(ours.keys() & theirs.keys()) if theirs[key] > 0]
    if not pairs:
        return None
    ratios = [a / b for a, b in pairs]
    low, high = bootstrap_interval(ratios)
    return Comparison(statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs), statistics.median(ratios), low, high, len(pairs))
