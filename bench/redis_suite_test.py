#!/usr/bin/env python3
"""scripts/redis_suite.py reads what the suites print, and tells what failed and why. Without a network or a server."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'scripts'))
import redis_suite  # noqa: E402
from redis_suite import Reasons, Result  # noqa: E402

TCL = '''Starting test server at port 21079
[ready]: 2634
\x1b[1;37;49mTesting unit/a\x1b[0m
[\x1b[0;32;49mok\x1b[0m]: ADD two (and more) (12 ms)
[\x1b[0;36;49mignore\x1b[0m]: Digest: of all: Tag: needs:debug denied
[\x1b[0;36;49mignore\x1b[0m]: Not supported on external server
[\x1b[0;31;49merr\x1b[0m]: ADD in a list in tests/unit/a.tcl
Expected '1' to be equal to '2'
ERR unknown command 'ADD'
[\x1b[0;32;49mok\x1b[0m]: ADD again (0 ms)
[\x1b[0;31;49merr\x1b[0m]: n option
ERR no option
    while executing
[\x1b[0;33;49mskip\x1b[0m]: Hangs
[\x1b[0;31;49merr\x1b[0m]: Last in tests/unit/a.tcl
Expected 'a' to match 'b'
[1/1 \x1b[0;33;49mdone\x1b[0m]: unit/a (0 seconds)

                   The End

\x1b[1;31;49m!!! WARNING\x1b[0m The following tests failed:

*** [\x1b[0;31;49merr\x1b[0m]: ADD in a list in tests/unit/a.tcl
'''

JUNIT = '''<?xml version="1.0"?><testsuites><testsuite name="pytest">
<testcase classname="tests.test_a.TestA" name="test_one[single]" time="0.1"/>
<testcase classname="tests.test_a" name="test_two"><failure message="assert 1 == 2">text</failure></testcase>
<testcase classname="tests.test_a.TestA" name="test_three"><skipped message="needs 7.2"/></testcase>
<testcase classname="tests.test_a.TestA" name="test_four"><error message="no server"/></testcase>
</testsuite></testsuites>'''


class ParseTest(unittest.TestCase):
    def test_what_the_tcl_suite_prints(self):
        results = redis_suite.parse_tcl('unit/a', TCL)
        self.assertEqual([(r.name, r.outcome) for r in results],
                         [('ADD two (and more)', 'passed'), ('Digest: of all', 'left out'), ('(a group of tests)', 'left out'),
                          ('ADD in a list', 'failed'), ('ADD again', 'passed'), ('(between the tests)', 'failed'), ('Hangs', 'left out'), ('Last', 'failed')])
        self.assertEqual(results[1].detail, 'Tag: needs:debug denied')
        self.assertEqual(results[2].detail, 'Not supported on external server')
        self.assertIn("unknown command 'ADD'", results[3].detail)
        self.assertNotIn('ADD again', results[3].detail)
        self.assertIn('no option', results[5].detail)
        self.assertEqual(results[7].detail, "Expected 'a' to match 'b'")  # and not the summary
        self.assertTrue(redis_suite.ends_well(TCL))
        self.assertFalse(redis_suite.ends_well(TCL[:TCL.index('[1/1')]))

    def test_what_pytest_reports(self):
        results = redis_suite.parse_junit('test_a.py', JUNIT)
        self.assertEqual([(r.name, r.outcome) for r in results],
                         [('TestA.test_one[single]', 'passed'), ('test_two', 'failed'), ('TestA.test_three', 'left out'), ('TestA.test_four', 'failed')])
        self.assertIn('assert 1 == 2', results[1].detail)
        self.assertEqual(results[2].detail, 'needs 7.2')


class ReasonsTest(unittest.TestCase):
    def test_the_first_that_fits_holds(self):
        reasons = Reasons('# a note\n\nunit/* | ADD * | no ADD | at all\nunit/a | * | nothing\n* | text:*refused* | no server\nunit/b | skip:Hangs* | it hangs\n')
        self.assertEqual(reasons.of(Result('unit/a', 'ADD [x]', 'failed', '')), 'no ADD | at all')
        self.assertEqual(reasons.of(Result('unit/a', 'SUB', 'failed', '')), 'nothing')
        self.assertEqual(reasons.of(Result('b', 'SUB', 'failed', 'connection\nrefused')), 'no server')
        self.assertIsNone(reasons.of(Result('b', 'SUB', 'failed', '')))
        self.assertEqual((reasons.skipped('unit/b'), reasons.skipped('unit/a')), (['Hangs*'], []))

    def test_a_line_that_is_none_is_refused(self):
        with self.assertRaisesRegex(redis_suite.Failure, 'line 2'):
            Reasons('\nunit/a | no reason\n')

    def test_the_projects_own_are_well_formed(self):
        self.assertGreater(len(Reasons((ROOT / 'scripts/redis_suite_reasons.txt').read_text()).rules), 10)


class TableTest(unittest.TestCase):
    def test_counts_and_reasons(self):
        results = redis_suite.parse_tcl('unit/a', TCL) + redis_suite.parse_junit('test_a.py', JUNIT)
        text, unexplained = redis_suite.table(results, Reasons('unit/a | ADD * | no ADD\n* | Last | the last\n* | test_two | no two\n* | Hangs | it hangs\n'))
        self.assertEqual(unexplained, 2)
        self.assertIn('| unit/a | 2 | 2 | 1 | 3 |\n', text)
        self.assertIn('| test_a.py | 1 | 1 | 1 | 1 |\n', text)
        self.assertIn('| **all** | **3** | **3** | **2** | **4** |\n', text)
        self.assertIn('- no ADD (1)\n  - unit/a: ADD in a list\n', text)
        self.assertIn('## Unexplained\n\n  - unit/a: (between the tests)\n  - test_a.py: TestA.test_four\n', text)
        self.assertIn('- it hangs (1): unit/a 1\n', text)
        self.assertEqual(redis_suite.table([Result('a', 'b', 'passed', '')], Reasons(''))[1], 0)


if __name__ == '__main__':
    unittest.main()
