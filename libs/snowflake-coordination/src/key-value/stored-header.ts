import { Unreadable } from 'nestjs-snowflake/internal/stores/protocol/lease-registry';
import { readWholeNumber, type RegistryHeader } from 'nestjs-snowflake/internal/stores/registry-format';
import {
  type Entry,
  type KeyValueServer,
  LED_SINCE_ROUNDING_MS,
  type LedSince,
  type ServerMarks,
} from './key-value-port.js';

/** The key of the header: its fields as JSON. */
export const HEADER_KEY = 'header';
/** The key that is written with every header, and by nobody else: a header without it was put back. */
export const STAMP_KEY = 'stamp';
/** The key of the next worker ID that has never been used. A hint that is written without a condition, so that no call waits for it. */
export const FRESH_KEY = 'fresh';

/** The history of a header that was put back, or whose server was. */
const RESTORED = 'restored';
/** An integer of any length. */
const POSITION = /^-?\d{1,40}$/;
const LED_SINCE = /^(\d{1,15}) (.*)$/;

type Fields = Omit<RegistryHeader, 'fresh'> & {
  /** A lower bound of the position of the server in its history. */
  readonly position?: string;
  /** Since when the leader of the server had led: Unix milliseconds, and the clock. */
  readonly ledSince?: string;
};

/** A header as it was read. */
export interface StoredHeader {
  readonly fields: Fields;
  /** Whether somebody else has written it. */
  readonly isPutBack: boolean;
}

/** Reads a header; without an entry it has no fields. @throws Unreadable */
export function readHeader(entry: Entry | undefined, stamp: Entry | undefined): StoredHeader {
  if (!entry) return { fields: {}, isPutBack: false };
  return { fields: fieldsIn(entry.value), isPutBack: entry.commit !== stamp?.commit };
}

/** Returns whether the server has gone back behind the header, which a server of the same history never does. */
export function isBehind({ fields }: StoredHeader, { positionAtMost, ledSince }: KeyValueServer): boolean {
  const least = positionIn(fields);
  const hasFallen = least !== undefined && positionAtMost !== undefined && positionAtMost < least;
  return hasFallen || (ledSince !== undefined && hasLaterLeader(fields, ledSince));
}

/** Returns the fields as the protocol reads them. */
export function protocolHeader(
  { fields, isPutBack }: StoredHeader,
  isServerBehind: boolean,
  fresh: string | undefined,
): RegistryHeader {
  const { position: _position, ledSince: _ledSince, ...header } = fields;
  const hasHeader = Object.keys(header).length > 0;
  const historyId = isPutBack || isServerBehind ? { historyId: RESTORED } : {};
  // Any lower number costs a reading, and nothing else.
  const hint = fresh ?? (hasHeader ? '0' : undefined);
  return { ...header, ...historyId, ...(hint !== undefined && { fresh: hint }) };
}

/** Writes a header with its changes. Without new marks, those of the header stay until a history begins. */
export function writeHeader(
  { fields }: StoredHeader,
  changes: ReadonlyMap<string, string>,
  marks: ServerMarks,
): string {
  const kept = changes.has('historyId') ? {} : fields;
  const position = marks.positionAtLeast?.toString() ?? kept.position;
  const ledSince = kept.ledSince ?? (marks.ledSince && `${marks.ledSince.ms} ${marks.ledSince.clock}`);
  return JSON.stringify({ ...fields, ...Object.fromEntries(changes), position, ledSince });
}

function positionIn({ position }: Fields): bigint | undefined {
  if (position === undefined) return undefined;
  if (!POSITION.test(position)) throw new Unreadable('position', position);
  return BigInt(position);
}

/** Compares with the leader of the header. The clocks of two servers may differ by maxSkew. */
function hasLaterLeader({ ledSince, maxSkew }: Fields, { ms, clock }: LedSince): boolean {
  if (ledSince === undefined) return false;
  const [, storedMs, storedClock] = LED_SINCE.exec(ledSince) ?? [];
  if (storedMs === undefined) throw new Unreadable('ledSince', ledSince);
  const skewMs = clock === storedClock ? 0 : (readWholeNumber(maxSkew) ?? 0);
  return ms > Number(storedMs) + LED_SINCE_ROUNDING_MS + skewMs;
}

function fieldsIn(stored: string): Fields {
  const fields = parsed(stored);
  const isReadable =
    typeof fields === 'object' &&
    fields !== null &&
    !Array.isArray(fields) &&
    Object.values(fields).every((value) => typeof value === 'string');
  if (!isReadable) throw new Unreadable(HEADER_KEY, stored);
  return fields;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
