"""Writes computed.json: IDs of every layout at the ends of its fields and between them.

It shares nothing with the library. An ID is put together as text: each field as binary digits, one after another, and
the digits then read as a number. So a vector can be checked by hand, from its `binary` alone.

Run it as: python3 test/vectors/generate.py > test/vectors/computed.json
"""

import json
from datetime import datetime, timedelta

LAST_DATE_MS = 8_640_000_000_000_000

# Name, epoch (Unix time in milliseconds), milliseconds per tick, fields from the most significant one down.
LAYOUTS = [
    ("twitter", 1288834974657, 1, [("timestamp", 41), ("datacenter", 5), ("worker", 5), ("sequence", 12)]),
    ("discord", 1420070400000, 1, [("timestamp", 41), ("datacenter", 5), ("worker", 5), ("sequence", 12)]),
    ("instagram", 1314220021721, 1, [("timestamp", 40), ("worker", 13), ("sequence", 10)]),
    ("ich", 0, 1, [("timestamp", 41), ("worker", 10), ("sequence", 12)]),
    ("sonyflake", 1409529600000, 10, [("timestamp", 39), ("sequence", 8), ("worker", 16)]),
    ("baidu", 1463673600000, 1000, [("timestamp", 28), ("worker", 22), ("sequence", 13)]),
    ("jsSafe53", 1704067200000, 1, [("timestamp", 41), ("worker", 5), ("sequence", 7)]),
    ("worker across both halves", 1704067200000, 1, [("timestamp", 39), ("worker", 16), ("sequence", 8)]),
    ("datacenter last", 1704067200000, 7, [("timestamp", 41), ("sequence", 12), ("worker", 7), ("datacenter", 3)]),
    ("worker first", 1704067200000, 1, [("timestamp", 41), ("worker", 7), ("datacenter", 3), ("sequence", 12)]),
    ("narrowest timestamp", 1704067200000, 60000, [("timestamp", 22), ("worker", 10), ("sequence", 31)]),
    ("widest timestamp", 0, 1, [("timestamp", 53), ("worker", 0), ("sequence", 10)]),
    ("widest worker", 1704067200000, 1000, [("timestamp", 31), ("worker", 31), ("sequence", 1)]),
]


def largest(name, bits, epoch_ms, tick_ms):
    if name != "timestamp":
        return int("1" * bits, 2) if bits else 0
    return min(int("1" * bits, 2), (LAST_DATE_MS - epoch_ms - tick_ms + 1) // tick_ms)


def cases(fields, epoch_ms, tick_ms):
    """All at zero, all at the end, each one alone at 1 and at its end, and mixtures of ones and zeros."""
    ends = [largest(name, bits, epoch_ms, tick_ms) for name, bits in fields]
    zeros = [0] * len(fields)
    yield zeros
    yield ends
    for at, end in enumerate(ends):
        for value in sorted({min(1, end), end}):
            yield zeros[:at] + [value] + zeros[at + 1 :]
    for pattern in ("10", "110", "011010"):
        digits = pattern * 32
        values = [int(digits[:bits], 2) if bits else 0 for _, bits in fields]
        yield [min(value, end) for value, end in zip(values, ends)]


def vector(fields, values, epoch_ms, tick_ms):
    used = "".join(format(value, "b").zfill(bits) for (_, bits), value in zip(fields, values) if bits)
    binary = used.rjust(64, "0")
    time_ms = epoch_ms + values[0] * tick_ms
    groups, at = [binary[: 64 - len(used)]], 64 - len(used)
    for _, bits in fields:
        if bits:
            groups.append(binary[at : at + bits])
            at += bits
    return {
        "values": values,
        "timeMs": time_ms,
        "time": iso(time_ms),
        "decimal": str(int(binary, 2)),
        "hex": "".join(format(int(binary[four : four + 4], 2), "x") for four in range(0, 64, 4)),
        "binary": " ".join(groups),
    }


def iso(time_ms):
    """ISO 8601 as JavaScript writes it; None beyond the year 9999, where Python has no dates."""
    try:
        date = datetime(1970, 1, 1) + timedelta(milliseconds=time_ms)
    except OverflowError:
        return None
    return date.strftime("%Y-%m-%dT%H:%M:%S.") + f"{date.microsecond // 1000:03d}Z"


def group(name, epoch_ms, tick_ms, fields):
    seen = []
    for values in cases(fields, epoch_ms, tick_ms):
        if values not in seen:
            seen.append(values)
    return {
        "layout": name,
        "epochMs": epoch_ms,
        "tickMs": tick_ms,
        "fields": [{"name": field, "bits": bits} for field, bits in fields],
        "vectors": [vector(fields, values, epoch_ms, tick_ms) for values in seen],
    }


print(json.dumps([group(*layout) for layout in LAYOUTS], indent=2))
