import type { Finding } from './findings.js';

/** The result of the examination of a server. */
export interface ServerReport {
  readonly findings: readonly Finding[];
  /** The history ID of the server at present. */
  readonly historyId?: string;
  /** Whether the registry can be read. */
  readonly isReadable: boolean;
  /** What was examined, as phrases. */
  readonly examined?: readonly string[];
}

/** Returns the report of a server that can't be examined further. */
export function stopped(...findings: readonly Finding[]): ServerReport {
  return { findings, isReadable: false };
}
