"""A process that leases a worker ID with the example and makes IDs until it gets SIGTERM.

Its arguments are the folder of the example, a variant of the example or nothing, and a job as JSON.

It appends each round of IDs to a file by one system call, eight bytes an ID, and prints what happens to it.
If the job forks, a child process makes IDs with the same maker, as a web server does that loads an app before it forks.
"""

import json
import math
import os
import signal
import struct
import sys
import threading
import time
from functools import partial

_, folder, variant, text = sys.argv
job = json.loads(text)
sys.path.insert(0, folder)

from snowflake_lease import IdMaker, Layout, NoIds  # noqa: E402

IDS_PER_ROUND = 40
ROUND_S = 0.01
ROUNDS_OF_A_FORK = 50
FORK_ENDS_WITHIN_S = 30
STEP_BACK_MS = 3000


def stepping_clock_ms() -> int:
    """Reads a clock that steps back every other second, and forward again."""
    return int(time.time() * 1000) - STEP_BACK_MS * (int(time.time()) % 2)


class IgnoresEndOfWindow(IdMaker):
    def _is_in_window(self, tick, lease):
        return lease.from_ms < self._layout.start_of(tick)


class IgnoresForks(IdMaker):
    def _is_forked(self):
        return False


def report(event: str, **fields) -> None:
    # One system call, so that lines of two processes don't mix.
    os.write(1, f"{json.dumps({'event': event, **fields})}\n".encode())


VARIANTS = {
    "": IdMaker,
    "steps back": partial(IdMaker, clock_ms=stepping_clock_ms),
    "ignores the end of the window": IgnoresEndOfWindow,
    "ignores forks": IgnoresForks,
}
layout, lease = job["layout"], job["lease"]
ids = VARIANTS[variant](
    job["urls"],
    job["token"],
    job["namespace"],
    layout=Layout(
        timestamp_bits=layout["timestampBits"],
        worker_bits=layout["workerBits"],
        sequence_bits=layout["sequenceBits"],
    ),
    worker_count=lease["workerCount"],
    window_ms=lease["windowMs"],
    max_skew_ms=lease["maxSkewMs"],
    renew_every_ms=lease["renewEveryMs"],
    call_timeout_ms=lease["callTimeoutMs"],
)
is_leaving = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: is_leaving.set())


def issue(path: str, rounds: float) -> None:
    """Makes IDs until the process is told to leave, or for so many rounds."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    state = None
    while rounds > 0 and not is_leaving.is_set():
        rounds -= 1
        try:
            made = [ids.next_id() for _ in range(IDS_PER_ROUND)]
        except NoIds as error:
            if state != "failed":
                report("failed", error=str(error))
            state = "failed"
        else:
            os.write(file, struct.pack(f"={IDS_PER_ROUND}Q", *made))
            if state != "issuing":
                report("issuing", workerId=ids.worker_id)
            state = "issuing"
        time.sleep(ROUND_S)


ids.start()
if job.get("forks") and os.fork() == 0:
    # It ends by itself, because the test doesn't know it, also if a thread of its parent had the lock.
    signal.alarm(FORK_ENDS_WITHIN_S)
    issue(job["file"] + ".forked", ROUNDS_OF_A_FORK)
    os._exit(0)
issue(job["file"], math.inf)
ids.stop()
report("stopped")
