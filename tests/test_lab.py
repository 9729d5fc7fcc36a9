"""scripts/lab.py and scripts/line_chart.py: logs, words, tables and pictures."""
import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))

import lab
import line_chart

LOG = """\
t.en and t.fr: 20 pairs read, 20 kept
epoch 1 100% update 10 sentences 20 loss 6.0620, 23171 tokens/s, norm 0.261, rate 2.5e-05, 0:00 \
elapsed, 0:00 left
validation: epoch 1 update 10 loss 5.5000 BLEU 12.50 chrF 30.25, best 12.50 (now), stalled 0 of 20, \
1:40 elapsed
validation: epoch 2 update 20 loss 5.4000 BLEU 11.50 chrF 31.25, best 12.50, stalled 1 of 20, \
1:50 elapsed
epoch 3 10% update 23 sentences 20 loss 6.0620, 23171 tokens/s, norm 0.261, rate 2.5e-05, 0:00 \
elapsed, 0:00 left
stopped: the time is up; best 12.50 at epoch 1, update 10; 1:02:03 in all
"""
SVG = "{http://www.w3.org/2000/svg}"


class LogTest(unittest.TestCase):
    def test_the_best_validation_is_found(self):
        self.assertEqual(lab.read_log(LOG), {
            "updates": 23, "best_update": 10, "bleu": 12.5, "chrf": 30.25, "loss": 5.5,
            "minutes": 3723 / 60, "reason": "the time is up"})

    def test_a_log_without_an_end_is_no_result(self):
        self.assertIsNone(lab.read_log(LOG[:LOG.index("stopped")]))

    def test_a_log_without_a_validation_is_no_result(self):
        self.assertIsNone(lab.read_log("\n".join(
            line for line in LOG.splitlines() if not line.startswith("validation"))))


class TextTest(unittest.TestCase):
    def test_words_are_runs_without_blanks_and_single_characters_of_chinese(self):
        self.assertEqual(lab.count_words("I love it."), 3)
        self.assertEqual(lab.count_words("我喜欢 3 个。"), 6)
        self.assertEqual(lab.count_words(""), 0)

    def test_columns_of_numbers_are_set_right(self):
        text = lab.table(["name", "BLEU"], [["a|b", "1.50"], ["c", "–"]])
        self.assertEqual(text, "| name | BLEU |\n| --- | ---: |\n| a\\|b | 1.50 |\n| c | – |\n")


class ChartTest(unittest.TestCase):
    def chart(self, **options):
        series = [line_chart.Series("a < b", [(1, 10), (2, 30), (4, 20)]),
                  line_chart.Series("c", [(1, 12), (4, 11)])]
        return line_chart.chart(series, "Title & more", "x", "y", **options)

    def lines(self, svg):
        """The points of each series's line, in pixels."""
        paths = [path.get("d") for group in xml.fromstring(svg).iter(SVG + "g")
                 if (group.get("class") or "").startswith("s")
                 for path in group.findall(SVG + "path")[:1]]
        return [[tuple(map(float, point.split())) for point in re.split("[ML]", path) if point]
                for path in paths]

    def test_it_is_well_formed_and_holds_every_point(self):
        lines = self.lines(self.chart())
        self.assertEqual([len(line) for line in lines], [3, 2])
        (x1, low), (x2, high), (x4, middle) = lines[0]
        self.assertAlmostEqual(x4 - x2, 2 * (x2 - x1), delta=0.3)
        self.assertAlmostEqual(low - high, 2 * (low - middle), delta=0.3)
        self.assertTrue(high < middle < low)

    def test_a_logarithmic_axis_has_equal_steps_for_equal_factors(self):
        (x1, _), (x2, _), (x4, _) = self.lines(self.chart(is_log=True))[0]
        self.assertAlmostEqual(x4 - x2, x2 - x1, delta=0.3)

    def test_it_has_colours_for_dark_and_needs_nothing_from_outside(self):
        svg = self.chart()
        self.assertIn("prefers-color-scheme: dark", svg)
        self.assertEqual(re.findall(r"(?:href|src|url|@import)", svg), [])

    def test_ticks_are_round_and_reach_beyond_the_values(self):
        self.assertEqual(line_chart.ticks(0, 40), [5 * i for i in range(9)])
        self.assertEqual(line_chart.ticks(87.5, 96.3), [86, 88, 90, 92, 94, 96, 98])
        self.assertEqual(line_chart.ticks(3, 3)[0], 3)

    def test_no_points_and_too_many_series_are_refused(self):
        for series in ([], [line_chart.Series("a", [])], [line_chart.Series("a", [(1, 1)])] * 5):
            with self.assertRaises(ValueError):
                line_chart.chart(series, "t", "x", "y")


if __name__ == "__main__":
    unittest.main()
