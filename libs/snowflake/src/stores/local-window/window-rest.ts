import { createHash } from 'node:crypto';

/** The unused rest of a window, `(lastUsedMs, untilMs]` of one worker ID, and the store and layout that it belongs to. */
export interface WindowRest {
  /** Description of the store that granted it. */
  readonly store: string;
  /** Fingerprint of the layout under which it was granted. */
  readonly layout: string;
  readonly workerId: number;
  /** The fencing token of the window in the store. */
  readonly fencingToken: string;
  /** The last timestamp that an ID may have used, Unix time in milliseconds. */
  readonly lastUsedMs: number;
  /** End of the window, Unix time in milliseconds. */
  readonly untilMs: number;
}

/** The content of a file of this store. */
export interface WindowRecord {
  readonly rest: WindowRest;
  /** Identifies the one file that the rest was written to; a copy has another identity. */
  readonly fileIdentity: string;
}

/** The result of reading a file: a record, or the reason why the file holds no usable record. */
export type ReadRecord =
  | { readonly kind: 'record'; readonly record: WindowRecord }
  /** Written by this store, but incomplete or altered. */
  | { readonly kind: 'damaged' }
  /** Written by another program. */
  | { readonly kind: 'foreign' };

const HEADER = 'nestjs-snowflake window 1';

/** Writes a record as text: a header, JSON, and the checksum of both. */
export function writeRecord({ rest, fileIdentity }: WindowRecord): string {
  const body = `${HEADER}\n${JSON.stringify({ ...rest, fileIdentity })}\n`;
  return `${body}${checksum(body)}\n`;
}

/** Reads what {@link writeRecord} wrote. An empty file counts as damaged, not foreign, because it has nothing to lose. */
export function readRecord(text: string): ReadRecord {
  if (text === '') return { kind: 'damaged' };
  const [header, json = '', sum, ...more] = text.split('\n');
  if (header !== HEADER) return { kind: 'foreign' };
  if (more.length !== 1 || sum !== checksum(`${HEADER}\n${json}\n`)) return { kind: 'damaged' };
  const record = recordOf(json);
  return record ? { kind: 'record', record } : { kind: 'damaged' };
}

/** The checksum shows that the text is whole, but not that this library wrote it. */
function recordOf(json: string): WindowRecord | undefined {
  const { store, layout, workerId, fencingToken, lastUsedMs, untilMs, fileIdentity } = parsed(json);
  if (!isText(store) || !isText(layout) || !isText(fencingToken) || !isText(fileIdentity)) return undefined;
  if (!isCount(workerId) || !isCount(lastUsedMs) || !isCount(untilMs)) return undefined;
  return { rest: { store, layout, workerId, fencingToken, lastUsedMs, untilMs }, fileIdentity };
}

function parsed(json: string): Partial<Record<keyof WindowRest | 'fileIdentity', unknown>> {
  try {
    return { ...(JSON.parse(json) as object) };
  } catch {
    return {};
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
