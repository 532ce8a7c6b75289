# decode.py
EPOCH_MS = 1704067200000  # 2024-01-01T00:00:00Z


def decode(id: int) -> tuple[int, int, int]:
    """Returns the Unix time in milliseconds, the worker ID and the sequence number."""
    return (id >> 22) + EPOCH_MS, id >> 12 & 1023, id & 4095


def compose(timestamp_ms: int, worker_id: int = 0, sequence: int = 0) -> int:
    """Without a worker ID, it returns the smallest ID of that millisecond."""
    return timestamp_ms - EPOCH_MS << 22 | worker_id << 12 | sequence
