# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import sys
import tempfile
import unittest

from harness import machine, runner

LINE = {"peer": "x", "workload": "w", "permits": 1, "ops": 10, "wall_ns": 100, "cpu_ns": 90, "peak_rss": 1, "peak_threads": 2, "checksum": 3}


def program(code):
    return [sys.executable, "-c", code]


class Order(unittest.TestCase):
    def test_each_pair_of_peers_is_seen_in_both_orders_equally_often(self):
        peers = ["weir", "tokio", "go", "tbb", "asio"]
        before = {(a, b): 0 for a in peers for b in peers if a != b}
        for repetition in range(2 * len(peers)):
            order = runner.order_of(peers, repetition)
            self.assertEqual(sorted(order), sorted(peers))
            for a, b in before:
                before[a, b] += order.index(a) < order.index(b)
        self.assertEqual(set(before.values()), {len(peers)})

    def test_two_repetitions_already_have_both_orders(self):
        self.assertEqual([runner.order_of(["a", "b"], repetition) for repetition in (0, 1)], [["a", "b"], ["b", "a"]])

    def test_no_peer_goes_first_always(self):
        self.assertEqual({runner.order_of(["a", "b", "c"], repetition)[0] for repetition in range(6)}, {"a", "b", "c"})


class Parsing(unittest.TestCase):
    def test_the_last_line_counts(self):
        self.assertEqual(runner.parse_line("a warning\n" + json.dumps(LINE) + "\n"), LINE)

    def test_what_is_no_line_is_named(self):
        for text in ("", "no json", "[1]", "3"):
            with self.assertRaises(runner.BadRun, msg=text):
                runner.parse_line(text)

    def test_a_missing_field_is_named(self):
        line = {key: value for key, value in LINE.items() if key != "cpu_ns"}
        with self.assertRaisesRegex(runner.BadRun, "cpu_ns"):
            runner.parse_line(json.dumps(line))

    def test_a_run_without_operations_or_time_is_refused(self):
        for field in ("ops", "wall_ns"):
            with self.assertRaises(runner.BadRun):
                runner.parse_line(json.dumps(LINE | {field: 0}))


class Running(unittest.TestCase):
    def test_a_run_brings_its_line_and_what_others_used(self):
        found = runner.run_once(program(f"print('''{json.dumps(LINE)}''')"), 60, busy=0)
        self.assertEqual(found["ops"], 10)
        self.assertGreaterEqual(found["foreign_share"], 0)
        self.assertIn("disturbed", found)

    def test_beside_busy_processes_nobody_is_called_disturbed(self):
        self.assertNotIn("disturbed", runner.run_once(program(f"print('''{json.dumps(LINE)}''')"), 60, busy=2))

    def test_a_failed_program_is_named_with_what_it_said(self):
        with self.assertRaisesRegex(runner.BadRun, "ended with 3: no such luck"):
            runner.run_once(program("import sys; print('no such luck', file=sys.stderr); sys.exit(3)"), 60, busy=0)

    def test_a_program_that_does_not_end_is_stopped(self):
        with self.assertRaisesRegex(runner.BadRun, "still running"):
            runner.run_once(program("while True: pass"), 0.2, busy=0)


class Inputs(unittest.TestCase):
    def test_the_files_of_the_build_graph_are_always_the_same(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            runner.make_files(one)
            runner.make_files(two)
            for index in range(runner.FILES):
                self.assertEqual(pathlib.Path(one, str(index)).read_bytes(), pathlib.Path(two, str(index)).read_bytes())


class Machine(unittest.TestCase):
    def test_stolen_time_counts_as_busy_and_idle_time_does_not(self):
        ticks = machine.parse_busy_seconds("cpu  10 20 30 1000 2000 1 2 37 5 5") / machine.TICK
        self.assertAlmostEqual(ticks, 100)

    def test_a_run_is_disturbed_from_six_per_cent_of_a_core(self):
        self.assertTrue(machine.is_disturbed(0.7, 10))
        self.assertFalse(machine.is_disturbed(0.5, 10))

    def test_the_ticks_of_a_short_run_do_not_make_it_disturbed(self):
        self.assertFalse(machine.is_disturbed(2 * machine.TICK, 0.05))

    def test_the_busy_processes_end_with_their_block(self):
        with machine.busy_processes(True) as count:
            self.assertGreaterEqual(count, 1)
        with machine.busy_processes(False) as count:
            self.assertEqual(count, 0)


if __name__ == "__main__":
    unittest.main()
