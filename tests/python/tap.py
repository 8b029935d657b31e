# SPDX-License-Identifier: Apache-2.0
"""Tests as functions, said as TAP: those of the calling module that begin with test_."""

import gc
import sys
import traceback


class Skip(Exception):
    """What the test needs is not here."""


def needs(name):
    """The module `name`, or the test is skipped."""
    try:
        return __import__(name)
    except ImportError:
        raise Skip(f"{name} is not installed") from None


def raises(kind, f, *args, **named):
    """The exception of that kind that f raises."""
    try:
        f(*args, **named)
    except kind as e:
        return e
    raise AssertionError(f"{kind.__name__} was not raised")


def run(module):
    """Runs the tests in their order; returns the exit status."""
    tests = [f for name, f in vars(module).items() if name.startswith("test_")]
    failed = 0
    for number, test in enumerate(tests, 1):
        name = test.__doc__ or test.__name__
        try:
            test()
            print(f"ok {number} - {name}")
        except Skip as e:
            print(f"ok {number} - {name} # SKIP {e}")
        except BaseException:  # pylint: disable=broad-except
            failed += 1
            print(f"not ok {number} - {name}")
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
        gc.collect()
    print(f"1..{len(tests)}")
    sys.stdout.flush()
    return int(failed > 0)
