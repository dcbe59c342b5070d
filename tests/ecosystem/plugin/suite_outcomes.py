"""A pytest plugin: writes each test's outcome to the file SUITE_OUTCOMES as soon as it is known, and ends a test that takes too long."""

import os
import signal

import pytest

SECONDS = int(os.environ.get("SUITE_SECONDS", "60"))


class TooLong(Exception):
    """A test went on beyond its time."""


def late(*told):
    raise TooLong(f"no end after {SECONDS} s")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        return (yield)
    finally:
        signal.alarm(0)


def pytest_runtest_logreport(report):
    if report.when == "call" or not report.passed:
        with open(os.environ["SUITE_OUTCOMES"], "a", encoding="utf-8") as file:
            file.write(f"{report.outcome} {report.nodeid}\n")


def pytest_collectreport(report):
    if report.failed:
        with open(os.environ["SUITE_OUTCOMES"], "a", encoding="utf-8") as file:
            file.write(f"failed {report.nodeid} (not collected)\n")
