"""ragauge runs where the modules and signals of Linux are not: they are hidden, and tests run without them."""

import subprocess
import sys
from pathlib import Path

import pytest

HIDDEN = """
import asyncio, concurrent.futures.process, http.server, multiprocessing.pool, os, shutil, signal, subprocess, sys, tempfile
import numpy, onnxruntime, polars, pytest
for name in ("fcntl", "grp", "pwd", "resource", "termios", "tty", "pty", "curses"):
    sys.modules[name] = None
for name in "SIGHUP SIGKILL SIGALRM SIGUSR1 SIGQUIT SIGTSTP pthread_kill pthread_sigmask setitimer".split():
    delattr(signal, name)
of_posix = "killpg getpgid O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_CLOEXEC sched_getaffinity mkfifo statvfs sysconf"
for name in f"{of_posix} fork uname nice pread chown posix_fadvise register_at_fork copy_file_range getloadavg".split():
    delattr(os, name)
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:timeout", "-p", "no:xdist", *sys.argv[1:]]))
"""
"""What Python itself and other packages need of them is imported before they go."""
ROOT = Path(__file__).parent.parent
PORTABLE = (
    "runs/test_released_formats.py",
    "cli/test_score_command.py",
    "cli/test_demo_command.py",
    "cli/test_compare_command.py",
    "cli/test_rank_command.py",
    "questions/test_making.py",
    "asking/test_ask.py",
)
"""Tests of the commands that need no process to be killed and no full disk."""


@pytest.mark.slow
def test_the_portable_tests_pass_without_what_only_linux_has():
    tests = [f"tests/{name}" for name in PORTABLE]
    done = subprocess.run(
        [sys.executable, "-c", HIDDEN, "-m", "not slow and not posix", *tests],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
