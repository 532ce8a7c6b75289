"""Makes IDs under a worker ID that it leases from nestjs-snowflake-service. Needs only the standard library.

    ids = IdMaker(["https://ids.example.com"], token, "shop")
    ids.start()
    ids.next_id()  # 382475217496248322
    ids.stop()

The comments name the rules in docs/reference/protocol.md by their numbers.
"""

from __future__ import annotations

import http.client
import json
import logging
import math
import os
import random
import secrets
import socket
import threading
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Callable, Optional, Sequence
from urllib.parse import quote, urlsplit


_log = logging.getLogger(__name__)


class NoIds(Exception):
    """No ID can be made now: there is no lease, or its window is used up. The cause is the last error of the service."""


class Unavailable(Exception):
    """The service gave no usable response. A retry can succeed."""


class Rejected(Exception):
    """The service refuses this client until an operator changes something."""


@dataclass(frozen=True)
class Layout:
    """Which bits of an ID hold which field. All holders of a namespace must use the same."""

    epoch_ms: int = 1_704_067_200_000
    tick_ms: int = 1
    timestamp_bits: int = 41
    worker_bits: int = 10
    sequence_bits: int = 12

    def tick_at(self, time_ms: int) -> int:
        return (time_ms - self.epoch_ms) // self.tick_ms

    def start_of(self, tick: int) -> int:
        return self.epoch_ms + tick * self.tick_ms

    def compose(self, tick: int, worker_id: int, sequence: int) -> int:
        if tick >> self.timestamp_bits or worker_id >> self.worker_bits:
            raise NoIds(f"tick {tick} or worker ID {worker_id} has too many bits")
        return ((tick << self.worker_bits | worker_id) << self.sequence_bits) | sequence

    def text(self, first_worker_id: int, worker_count: int) -> str:
        epoch = datetime.fromtimestamp(self.epoch_ms / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]
        return (
            f"v2 epoch={epoch}Z tick={self.tick_ms}ms timestamp:{self.timestamp_bits} worker:{self.worker_bits} "
            f"sequence:{self.sequence_bits} workers={first_worker_id}+{worker_count}"
        )


@dataclass
class Lease:
    worker_id: int
    fencing_token: str
    from_ms: int
    until_ms: int
    last_used_ms: int


class Service:
    """Calls services that share one store. After a failed call, the next one goes to the next address."""

    def __init__(self, urls: Sequence[str], token: str, timeout_ms: int) -> None:
        self._urls = [urlsplit(url.rstrip("/")) for url in urls]
        self._token = token
        self._timeout_s = timeout_ms / 1000
        self._position = 0

    def next_address(self) -> None:
        self._position = (self._position + 1) % len(self._urls)

    def call(self, path: str, body: dict) -> dict:
        try:
            return self._post(path, body)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.next_address()
            raise Unavailable(f"the service did not respond: {error!r}") from error
        except (Unavailable, Rejected):
            self.next_address()
            raise

    def _post(self, path: str, body: dict) -> dict:
        url = self._urls[self._position]
        call = secrets.token_hex(16)
        kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        connection = kind(url.hostname, url.port, timeout=self._timeout_s)
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/json",
            "Snowflake-Call": call,
            "Snowflake-Timeout-Ms": str(int(self._timeout_s * 1000)),
        }
        deadline = time.monotonic() + self._timeout_s
        connection.connect()
        # A socket's timeout starts anew with each byte. This one bounds the whole call.
        alarm = threading.Timer(max(0, deadline - time.monotonic()), _end, [connection.sock])
        alarm.daemon = True
        alarm.start()
        try:
            connection.request("POST", f"{url.path}/v1/{path}", json.dumps(body), headers)
            response = connection.getresponse()
            text = response.read()
        finally:
            alarm.cancel()
            connection.close()
        if time.monotonic() > deadline:
            raise Unavailable("the response came too late")  # Rule 3.
        if response.status in (408, 425, 429) or response.status >= 500:
            raise Unavailable(f"the service responded with {response.status}: {text[:500]!r}")
        if response.status != 200:
            raise Rejected(f"the service responded with {response.status}: {text[:500]!r}")
        if not self._is_of(call, response):
            raise Unavailable("the response names another call")  # Rule 3.
        return json.loads(text)

    def _is_of(self, call: str, response: http.client.HTTPResponse) -> bool:
        return response.headers.get("Snowflake-Call") == call


def _reason_to_wait(reply: dict) -> str:
    """Describes a reply that grants no lease yet."""
    if reply["outcome"] == "wait":
        return f"the store is new or may have lost leases, and grants the next one in {_seconds(reply.get('waitMs'))}"
    if reply["outcome"] == "full":
        return f"every worker ID is held, and the next one becomes free in {_seconds(reply.get('nextFreeInMs'))}"
    return "too few replicas follow the Redis master"


def _seconds(duration_ms: Optional[int]) -> str:
    return "a while" if duration_ms is None else f"{math.ceil(duration_ms / 1000)} s"


def _end(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # The connection has already ended.


def _clock_ms() -> int:
    return time.time_ns() // 1_000_000


class IdMaker:
    """Makes IDs in this process, and renews its lease in a thread. All methods can be called from any thread."""

    def __init__(
        self,
        urls: Sequence[str],
        token: str,
        namespace: str,
        layout: Layout = Layout(),
        first_worker_id: int = 0,
        worker_count: Optional[int] = None,
        window_ms: int = 60_000,
        max_skew_ms: int = 5_000,
        renew_every_ms: Optional[int] = None,
        call_timeout_ms: int = 2_000,
        clock_ms: Callable[[], int] = _clock_ms,
    ) -> None:
        worker_count = worker_count or (1 << layout.worker_bits) - first_worker_id
        self._service = Service(urls, token, call_timeout_ms)
        self._path = f"leases/{quote(namespace, safe='')}"
        self._layout = layout
        self._window_ms = window_ms
        self._max_skew_ms = max_skew_ms
        self._renew_every_s = (renew_every_ms or window_ms / 6) / 1000
        self._clock_ms = clock_ms
        self._shared = {
            "layout": layout.text(first_worker_id, worker_count),
            "firstWorkerId": first_worker_id,
            "workerCount": worker_count,
            "windowMs": window_ms,
            "maxSkewMs": max_skew_ms,
            "assumeNew": False,
        }
        self._pid = os.getpid()
        self._nonce: Optional[str] = None
        self._error: Optional[Exception] = None
        self._stopping = threading.Event()
        self._has_lease = threading.Event()
        self._renewals = threading.Thread(target=self._renew_until_stop, name="snowflake lease", daemon=True)
        # The lock guards the following.
        self._lock = threading.Lock()
        self._lease: Optional[Lease] = None
        self._tick = 0
        self._sequence = 0
        self._correction_ms = 0

    def start(self, timeout_s: float = 80) -> None:
        """Acquires a lease. Raises if there is none after `timeout_s`, or the service refuses this client.

        Logs a warning every 5 seconds while it waits: the logging of Python shows it on stderr, unless the app configures another way.
        """
        self._renewals.start()
        deadline = time.monotonic() + timeout_s
        while not self._has_lease.wait(max(0.0, min(5.0, deadline - time.monotonic()))):
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                break
            _log.warning("waiting for a lease, for up to %.0f s more: %s", left_s, self._error or "no response yet")
        if self._has_lease.is_set() and not isinstance(self._error, Rejected):
            return
        self.stop()
        raise self._no_ids("no lease was granted")

    def next_id(self) -> int:
        if self._is_forked():
            raise NoIds("this process was forked, and needs an IdMaker of its own")
        with self._lock:
            if self._lease is None:
                raise self._no_ids("no lease is held")
            tick, sequence = self._layout.tick_at(self._clock_ms() + self._correction_ms), 0
            if tick <= self._tick:  # Rule 2.
                tick, sequence = self._tick, self._sequence + 1
                if sequence >> self._layout.sequence_bits:
                    tick, sequence = tick + 1, 0
            if not self._is_in_window(tick, self._lease):
                raise self._no_ids("the window of the lease is used up")
            new_id = self._layout.compose(tick, self._lease.worker_id, sequence)
            self._tick, self._sequence = tick, sequence
            self._lease.last_used_ms = self._layout.start_of(tick)
            return new_id

    @property
    def worker_id(self) -> Optional[int]:
        lease = self._lease  # Without the lock, which a forked process may never get.
        return None if lease is None else lease.worker_id

    def stop(self, timeout_s: float = 5) -> None:
        """Stops making IDs, and releases the worker ID."""
        if self._is_forked():
            return
        self._stopping.set()
        if self._renewals.ident is not None:
            self._renewals.join(timeout_s)
        with self._lock:
            lease, self._lease = self._lease, None  # Rule 7.
        if lease is not None and not self._renewals.is_alive():
            self._release(lease)

    def _no_ids(self, problem: str) -> NoIds:
        """Names the cause in the message, too, because many logs show only that."""
        cause = self._error
        error = NoIds(problem if cause is None else f"{problem}: {cause}")
        error.__cause__ = cause
        return error

    def _is_forked(self) -> bool:  # Rule 8.
        return os.getpid() != self._pid

    def _is_in_window(self, tick: int, lease: Lease) -> bool:  # Rule 1.
        return lease.from_ms < self._layout.start_of(tick) <= lease.until_ms

    def _renew_until_stop(self) -> None:
        failures = 0  # In a row.
        while not self._stopping.is_set():
            try:
                wait_s, failures = self._ask(), 0
            except Rejected as error:
                self._error, wait_s = error, random.uniform(1, 2)
                self._has_lease.set()  # Ends the wait in start().
            except Exception as error:  # Unavailable, or an invalid response. Renewals go on.
                # A process that starts asks less and less often: it may be one of a crowd that keeps the store busy.
                longest_s = 0.25 if self._lease is not None else min(5, 0.25 * 4 ** min(failures, 3))
                self._error, wait_s, failures = error, random.uniform(0.125, longest_s), failures + 1
            self._stopping.wait(wait_s)

    def _ask(self) -> float:
        """Acquires or renews a lease. Returns how long to wait before the next call, in seconds."""
        shown = self._lease
        is_retry = self._nonce is not None  # Rule 4.
        self._nonce = self._nonce or f"{secrets.token_hex(8)}:python/{os.getpid()}"
        request = {**self._shared, "nonce": self._nonce, "retry": is_retry, "searchSeed": random.randrange(2**31)}
        if shown is not None:
            request["claim"] = {
                "workerId": shown.worker_id,
                "fencingToken": shown.fencing_token,
                "untilMs": shown.until_ms,
            }
        sent_ms = self._clock_ms()
        reply = self._service.call(self._path, request)
        received_ms = self._clock_ms()
        outcome = reply["outcome"]
        if outcome == "new":
            self._nonce = None
            self._adopt(reply, shown, reply["storeNowMs"] - (sent_ms + received_ms) // 2)
        elif outcome == "kept" and shown is not None:
            self._extend(reply, shown, reply["storeNowMs"] - (sent_ms + received_ms) // 2)
            self._nonce = None
        elif outcome == "copied":
            self._nonce = None
            with self._lock:
                self._lease = None  # Rule 5: another process with this memory has it.
            raise Unavailable("the memory of this process exists twice")
        elif outcome in ("wait", "full", "alone"):
            if outcome == "alone":
                self._service.next_address()
            self._error = Unavailable(_reason_to_wait(reply))
            return min(1.0, reply.get("waitMs", reply.get("nextFreeInMs", 1000)) / 1000)
        else:
            raise Rejected(f"the store refuses this client: {reply}")
        self._error = None
        return self._renew_every_s * random.uniform(0.9, 1.1)

    def _adopt(self, reply: dict, held: Optional[Lease], offset_ms: int) -> None:
        if held is not None and reply["fencingToken"] == held.fencing_token.split("~")[0]:
            return  # Rule 5: this lease is already held.
        self._check(reply, reply["fromMs"], reply["storeNowMs"])
        lease = Lease(reply["workerId"], reply["fencingToken"], reply["fromMs"], reply["untilMs"], reply["fromMs"])
        with self._lock:
            if self._stopping.is_set():
                return  # The worker ID stays taken until its window ends.
            self._correct_clock(offset_ms)
            self._lease = lease
            # The tick in which the window begins counts as used, so the next tick is the first. A later one stays: IDs must not go back.
            self._tick = max(self._tick, self._layout.tick_at(lease.from_ms))
            self._sequence = (1 << self._layout.sequence_bits) - 1
        self._has_lease.set()

    def _extend(self, reply: dict, lease: Lease, offset_ms: int) -> None:
        self._check(reply, lease.from_ms, max(reply["storeNowMs"], lease.until_ms))
        with self._lock:
            self._correct_clock(offset_ms)
            lease.fencing_token, lease.until_ms = reply["fencingToken"], reply["untilMs"]

    def _check(self, reply: dict, from_ms: int, latest_now_ms: int) -> None:  # Rule 6.
        if not from_ms <= reply["untilMs"] <= latest_now_ms + self._window_ms + self._max_skew_ms:
            raise Unavailable(f"no store grants such a window: {reply}")

    def _correct_clock(self, offset_ms: int) -> None:
        if abs(offset_ms - self._correction_ms) > self._max_skew_ms:
            self._correction_ms = offset_ms

    def _release(self, lease: Lease) -> None:
        body = {"workerId": lease.worker_id, "fencingToken": lease.fencing_token, "lastUsedMs": lease.last_used_ms}
        try:
            self._service.call(f"{self._path}/release", body)
        except (Unavailable, Rejected):
            pass  # The worker ID stays taken until its window ends.
