# SPDX-License-Identifier: Apache-2.0
import html.parser
import io
import re
import types
import unittest

from harness import drawing, options, page, plan, results, terminal


def run(cell, permits, peer, repetition, wall, **more):
    return dict({"cell": cell, "permits": permits, "peer": peer, "repetition": repetition, "size": 1, "ops": 10, "wall_ns": wall, "cpu_ns": 2 * wall,
                 "peak_rss": 1 << 20, "peak_threads": 3, "checksum": 1}, **more)


def runs_of(cell, permits, figures):
    return [run(cell, permits, peer, repetition, wall) for peer, walls in figures.items() for repetition, wall in enumerate(walls)]


def fib():
    return plan.select("fib")[:1]


LOST = runs_of("fib", 1, {"weir": [200, 210, 205], "tbb": [100, 100, 100], "tokio": [1000, 1100, 1000]})


class Rows(unittest.TestCase):
    def test_a_row_has_the_median_an_operation_and_the_ratio_of_the_pairs(self):
        rows = results.rows_of(fib(), LOST, ["weir", "tbb", "tokio"])
        tbb = next(row for row in rows if row["peer"] == "tbb")
        self.assertEqual((tbb["median"], tbb["ratio"], tbb["verdict"], tbb["pairs"]), (10.0, 2.05, "loss", 3))
        self.assertEqual(next(row for row in rows if row["peer"] == "tokio")["verdict"], "win")
        self.assertNotIn("ratio", next(row for row in rows if row["peer"] == "weir"))

    def test_a_fan_out_that_a_second_permit_slows_down_is_a_loss(self):
        runs = runs_of("fib", 1, {"weir": [100, 100, 100]}) + runs_of("fib", 2, {"weir": [150, 160, 150]})
        rows = results.rows_of(fib(), runs, ["weir"])
        self.assertEqual([row["verdict"] for row in rows if row["peer"] == results.ONE_PERMIT], ["loss"])

    def test_a_metric_that_a_peer_does_not_report_has_no_row(self):
        wake = plan.select("wake_hot")
        runs = [run("wake_hot", 1, "weir", 0, 9, p50_ns=1000.0, p99_ns=2000.0), run("wake_hot", 1, "go", 0, 9, p50_ns=4000.0)]
        rows = results.rows_of(wake, runs, ["weir", "go"])
        self.assertEqual([(row["metric"], row["peer"]) for row in rows], [("p50", "weir"), ("p50", "go"), ("p99", "weir")])
        self.assertEqual(rows[1]["ratio"], 0.25)

    def test_programs_that_did_different_work_are_named(self):
        runs = [run("fib", 1, "weir", 0, 9), run("fib", 1, "go", 0, 9, checksum=2), run("fib", 1, "asio", 0, 9, checksum=3, size=2)]
        self.assertEqual(results.unequal_checksums(runs), {("fib", 1, 1): {1: ["weir"], 2: ["go"]}})


class Terminal(unittest.TestCase):
    def printed(self, colour):
        out = io.StringIO()
        out.isatty = lambda: colour
        rows = results.rows_of(fib(), LOST, ["weir", "tbb", "tokio"])
        terminal.print_tables(fib(), rows, out)
        terminal.print_summary(rows, out)
        return out.getvalue()

    def test_a_loss_is_red_on_a_terminal_and_plain_elsewhere(self):
        self.assertRegex(self.printed(True), r"\x1b\[31m  lost: fib at 1 permit, time: 2\.05x of tbb")
        self.assertNotIn("\x1b", self.printed(False))
        self.assertRegex(self.printed(False), r"(?m)^  lost: fib at 1 permit, time: 2\.05x of tbb \[2\.00, 2\.10\], target 0\.5x$")

    def test_the_counts_add_up(self):
        self.assertIn("2 comparisons: 1 won, 1 lost, 0 behind their target, 0 not decided", self.printed(False))


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.ids = [], []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.links += [values[name] for name in ("src", "href") if name in values]
        self.ids += [values["id"]] if "id" in values else []


class Page(unittest.TestCase):
    def render(self):
        rows = results.rows_of(fib(), LOST, ["weir", "tbb", "tokio"])
        data = {"machine": {"cpu": "a <cpu>", "cores": 2, "memory_gib": 1, "system": "s", "date": "d"}, "peers": {"weir": "weir 1", "tbb": "t", "tokio": "k"},
                "skipped": {"go": "go is not installed"}, "absent": [], "failures": [], "stopped": None, "pairs": 3, "pairs_done": 3, "quick": False, "runs": LOST}
        return page.render(fib(), rows, data)

    def test_it_needs_no_other_file(self):
        tags = Tags()
        tags.feed(self.render())
        self.assertTrue(tags.links)
        self.assertEqual([link for link in tags.links if not link.startswith("#")], [])
        self.assertEqual([link for link in tags.links if link[1:] not in tags.ids], [])

    def test_the_summary_comes_first_and_a_loss_is_marked_in_it(self):
        text = self.render()
        summary = text[text.index("Every ratio"):text.index("Lost, or behind target")]
        self.assertIn('class="chip loss"', summary)
        self.assertIn("go is left out: go is not installed", text)
        self.assertIn("a &lt;cpu&gt;", text)
        self.assertLess(text.index("Every ratio"), text.index("<svg"))


class Drawing(unittest.TestCase):
    def test_a_larger_figure_is_drawn_higher(self):
        drawn = drawing.svg([1, 2], {"weir": [10.0, 1000.0]}, "ns")
        heights = [float(each) for each in re.findall(r'<circle cx="[\d.]+" cy="([\d.]+)"', drawn)]
        self.assertGreater(heights[0], heights[1])

    def test_a_missing_figure_leaves_a_gap_and_not_a_zero(self):
        self.assertEqual(drawing.svg([1, 2, 4], {"go": [5.0, None, 6.0]}, "ns").count("<circle"), 2)

    def test_the_axis_has_ticks_within_its_range_only(self):
        self.assertEqual(drawing.ticks(9, 60), [10, 20, 50])
        self.assertEqual(drawing.ticks(1, 1000), [1, 10, 100, 1000])


class Plan(unittest.TestCase):
    def test_names_are_unique_and_can_be_selected_by_how_they_begin(self):
        names = [each.name for each in plan.WORKLOADS]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual([each.name for each in plan.select("yield,fib")], ["yield_100", "yield_1000", "fib"])
        with self.assertRaisesRegex(ValueError, "no workload nope"):
            plan.select("nope")

    def test_permits_that_are_asked_for_are_measured_unless_the_workload_has_its_own(self):
        self.assertEqual(fib()[0].permits_among([3, 8]), [3, 8])
        self.assertEqual(plan.select("parked")[0].permits_among([1, 2, 8]), [2])

    def test_a_peer_with_a_smaller_size_never_gets_none(self):
        for each in plan.WORKLOADS:
            self.assertGreaterEqual(each.size_for("asio", quick=True), 1)
        small = plan.Workload("small", "", "small", 3, 2, sizes={"asio": 5})
        self.assertEqual([small.size_for(peer, quick) for peer in ("weir", "asio") for quick in (False, True)], [3, 2, 1, 1])


class Options(unittest.TestCase):
    def test_quick_is_bounded_in_time_and_permits(self):
        found = options.parse(["--quick"])
        self.assertEqual((found.suites, found.permits, found.budget, found.pairs), (["peers"], [1, 2], 120.0, 3))

        self.assertNotIn("sleepers", [each.name for each in found.only])

    def test_a_slow_workload_that_is_named_runs_in_quick_too(self):
        self.assertEqual([each.name for each in options.parse(["--quick", "--only", "sleepers"]).only], ["sleepers"])

    def test_naming_a_workload_leaves_the_other_suites_out(self):
        self.assertEqual(options.parse(["--only", "fib"]).suites, ["peers"])
        self.assertEqual(options.parse([]).suites, ["peers", "engine", "validate", "fairness"])

    def test_weir_is_always_one_of_the_peers(self):
        self.assertEqual(options.parse(["--peers", "go"]).peers, ["weir", "go"])


class ProgressLine(unittest.TestCase):
    def test_elsewhere_than_on_a_terminal_it_is_one_line_a_workload(self):
        out = io.StringIO()
        progress = terminal.Progress(2, out)
        workload = types.SimpleNamespace(name="fib")
        for done, permits in enumerate((1, 2, 4)):
            progress(0, done, 3, (workload, permits, []))
        self.assertEqual(out.getvalue().count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
