# SPDX-License-Identifier: Apache-2.0
import unittest

from harness import stats


class PairedRatio(unittest.TestCase):
    def test_pairs_are_made_by_repetition_and_not_by_rank(self):
        # A machine that becomes ten times slower changes both sides of each pair; the ratio of medians would be off.
        ours = {0: 1.0, 1: 10.0, 2: 2.0}
        theirs = {0: 2.0, 1: 20.0, 2: 4.0}
        found = stats.compare(ours, theirs)
        self.assertEqual((found.ratio, found.low, found.high), (0.5, 0.5, 0.5))
        self.assertEqual((found.ours, found.theirs, found.pairs), (2.0, 4.0, 3))

    def test_a_repetition_that_only_one_side_has_makes_no_pair(self):
        found = stats.compare({0: 3.0, 1: 100.0}, {0: 1.0, 2: 100.0})
        self.assertEqual((found.ratio, found.pairs), (3.0, 1))

    def test_without_a_common_repetition_there_is_no_comparison(self):
        self.assertIsNone(stats.compare({0: 1.0}, {1: 1.0}))

    def test_a_peer_that_reports_zero_makes_no_pair(self):
        self.assertIsNone(stats.compare({0: 1.0}, {0: 0.0}))


class Bootstrap(unittest.TestCase):
    def test_equal_values_have_an_interval_of_no_width(self):
        self.assertEqual(stats.bootstrap_interval([0.7] * 6), (0.7, 0.7))

    def test_the_interval_contains_the_median_and_stays_within_the_values(self):
        values = [0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 3.0]
        low, high = stats.bootstrap_interval(values)
        self.assertLess(low, 1.1)
        self.assertGreater(high, 1.1)
        self.assertGreaterEqual(low, 0.8)
        self.assertLessEqual(high, 3.0)

    def test_one_outlier_does_not_widen_a_long_series(self):
        low, high = stats.bootstrap_interval([1.0] * 20 + [50.0])
        self.assertEqual((low, high), (1.0, 1.0))

    def test_more_values_of_the_same_spread_give_a_narrower_interval(self):
        few, many = [0.8, 0.9, 1.0, 1.1, 1.2], [0.8, 0.9, 1.0, 1.1, 1.2] * 20
        width = [high - low for low, high in map(stats.bootstrap_interval, (few, many))]
        self.assertGreater(width[0], 2 * width[1])

    def test_it_holds_the_true_median_about_as_often_as_it_says(self):
        import random
        source, held = random.Random(7), 0
        for _ in range(200):
            low, high = stats.bootstrap_interval([source.gauss(1, 0.1) for _ in range(15)], resamples=300)
            held += low <= 1 <= high
        self.assertGreater(held, 0.88 * 200)

    def test_the_same_values_give_the_same_interval(self):
        values = [1 + (7 * i % 40) ** 0.5 for i in range(40)]
        once, again = (stats.bootstrap_interval(values, resamples=50) for _ in range(2))
        self.assertEqual(once, again)

    def test_a_single_value_is_its_own_interval(self):
        self.assertEqual(stats.bootstrap_interval([1.5]), (1.5, 1.5))


class Verdict(unittest.TestCase):
    def verdict(self, low, ratio, high, target=None):
        return stats.Comparison(1, 1, ratio, low, high, 5).verdict(target)

    def test_a_loss_has_its_whole_interval_above_one(self):
        self.assertEqual(self.verdict(1.01, 1.2, 1.4), "loss")
        self.assertEqual(self.verdict(1.01, 1.2, 1.4, target=2.0), "loss")

    def test_one_or_two_pairs_decide_nothing(self):
        self.assertEqual([stats.Comparison(1, 1, 2, 2, 2, pairs).verdict(0.5) for pairs in (1, 2, 3)], ["open", "open", "loss"])

    def test_an_interval_that_contains_one_decides_nothing(self):
        self.assertEqual(self.verdict(0.9, 1.3, 1.6), "open")
        self.assertEqual(self.verdict(0.9, 0.95, 1.0), "open")

    def test_a_win_has_its_whole_interval_below_one(self):
        self.assertEqual(self.verdict(0.7, 0.8, 0.9), "win")

    def test_a_target_is_missed_when_the_whole_interval_is_above_it(self):
        self.assertEqual(self.verdict(0.7, 0.8, 0.9, target=0.5), "behind")
        self.assertEqual(self.verdict(0.4, 0.6, 0.9, target=0.5), "win")


if __name__ == "__main__":
    unittest.main()
