import { appendFileSync, readFileSync, statSync } from 'node:fs';
import type { LeaseEvent } from 'nestjs-snowflake';
import type { LeaseRequest, ReleaseRequest } from 'nestjs-snowflake/store';
import { type IssuerJob, logFile } from './issuer-job.js';
import { trueTimeMs } from './true-time.js';

/** What an issuer logs about one of its holders. */
export type IssuerLogEvent =
  | { readonly type: 'starting' }
  /** The first IDs are written. */
  | { readonly type: 'issuing' }
  /** The start failed for good: what the user of a process that boots sees. */
  | { readonly type: 'refused'; readonly code: string; readonly message: string }
  /** Asking for an ID failed, for the first time in a row: what the user of a running process sees. */
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
  /** The first IDs after a failure. */
  | { readonly type: 'resumed' }
  | { readonly type: 'event'; readonly event: LeaseEvent }
  | { readonly type: 'lease'; readonly request: LeaseRequest }
  | { readonly type: 'release'; readonly request: ReleaseRequest }
  | { readonly type: 'stopped' };

export type IssuerEntry = { readonly atMs: number; readonly holder: number } & IssuerLogEvent;

export type WriteLog = (event: IssuerLogEvent) => void;

/** Returns the log of one holder. Each entry is written at once, so that the log of a killed process is complete. */
export function logWriter(job: IssuerJob, holder: number): WriteLog {
  return (event) => {
    const entry: IssuerEntry = { atMs: trueTimeMs(job.bootedAtMs), holder, ...event };
    appendFileSync(logFile(job), `${JSON.stringify(entry, withoutStacks)}\n`);
  };
}

/** The log of one issuer, which grows while it is read. */
export class IssuerLog {
  private readonly file: string;
  private readSize = 0;
  private read: readonly IssuerEntry[] = [];

  constructor(job: IssuerJob) {
    this.file = logFile(job);
  }

  /** All entries so far. They are parsed again only if the log has grown, because a wait reads them often. */
  entries(): readonly IssuerEntry[] {
    const size = statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
    if (size !== this.readSize) this.read = parse(readFileSync(this.file, 'utf8'));
    this.readSize = size;
    return this.read;
  }
}

function parse(text: string): IssuerEntry[] {
  // What follows the last line break is empty, or not yet written in full.
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as IssuerEntry);
}

function withoutStacks(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  return { code: codeOf(value), message: value.message };
}

/** The stable name of an error of the library; an error of anything else goes by its class. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
