"""A process that leases a worker ID with the example and makes IDs until it gets SIGTERM. Its job is JSON in its argument.

It appends each round of IDs to a file by one system call, eight bytes an ID, and prints what happens to it, a line each.
"""

import json
import os
import signal
import struct
import sys
import threading
import time

job = json.loads(sys.argv[1])
sys.path.insert(0, job["folder"])

from snowflake_lease import IdMaker, Layout, NoIds  # noqa: E402

IDS_PER_ROUND = 40
ROUND_S = 0.01
STEP_BACK_MS = 3000


def stepping_clock_ms() -> int:
    """Reads a clock that steps back every other second, and forward again."""
    return int(time.time() * 1000) - STEP_BACK_MS * (int(time.time()) % 2)


class IgnoresEndOfWindow(IdMaker):
    def _is_in_window(self, tick, lease):
        return lease.from_ms < self._layout.start_of(tick)


def report(event: str, **fields) -> None:
    print(json.dumps({"event": event, **fields}), flush=True)


def clock_of(name: str) -> dict:
    return {"clock_ms": stepping_clock_ms} if name == "steps back" else {}


maker_class = IgnoresEndOfWindow if job.get("defect") == "ignores the end of the window" else IdMaker
ids = maker_class(
    job["urls"], job["token"], job["namespace"], layout=Layout(**job["layout"]), **job["lease"], **clock_of(job["clock"])
)
is_leaving = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: is_leaving.set())

report("starting")
ids.start()
file = os.open(job["file"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
state = None
while not is_leaving.is_set():
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
ids.stop()
report("stopped")
