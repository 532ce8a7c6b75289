// decode.js
const EPOCH_MS = 1704067200000n; // 2024-01-01T00:00:00Z

/** Takes an ID as a string or a bigint, never as a number. */
export function decode(id) {
  const bits = BigInt(id);
  return {
    timestampMs: Number((bits >> 22n) + EPOCH_MS),
    workerId: Number((bits >> 12n) & 1023n),
    sequence: Number(bits & 4095n),
  };
}

/** Returns a string. Without a worker ID, it is the smallest ID of that millisecond. */
export function compose(timestampMs, workerId = 0, sequence = 0) {
  const tick = BigInt(timestampMs) - EPOCH_MS;
  return String((tick << 22n) | (BigInt(workerId) << 12n) | BigInt(sequence));
}
