"""CPU time is counted wherever the work is done."""

import subprocess
import sys
import threading

import pytest

from benchmarks.usage import _children, cpu_seconds

BUSY = "import time\nwhile time.process_time() < 0.3: pass\nprint('ready', flush=True)\ninput()"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="living children are counted on Linux alone")
def test_the_work_of_a_child_that_another_thread_started_counts_while_it_lives():
    before, children, started, counted = cpu_seconds(), [], threading.Event(), threading.Event()

    def start():
        child = subprocess.Popen([sys.executable, "-c", BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        children.append(child)
        child.stdout.readline()
        started.set()
        counted.wait()

    thread = threading.Thread(target=start)
    thread.start()
    try:
        started.wait()
        assert children[0].pid in _children()
        assert cpu_seconds() - before >= 0.25
    finally:
        counted.set()
        thread.join()
        children[0].communicate(b"\n")
