/** A private database server on 127.0.0.1. */
export interface DatabaseServer {
  readonly port: number;
  readonly pid: number;
  /** Of the database that the server was born with. */
  readonly url: string;
  /** Ends the server and removes its directory. */
  stop(): Promise<void>;
  /** Makes an empty database; the name may hold lower-case letters, digits and `_`. Returns its URL. */
  createDatabase(name: string): Promise<string>;
}

/** Bound on one statement of the harness itself, connection included. */
export const STATEMENT_WITHIN_MS = 10_000;
/** Bound on the making of a server's data directory. */
export const INITIALISE_WITHIN_MS = 60_000;

export function checkDatabaseName(name: string): void {
  if (!/^[a-z][a-z0-9_]{0,60}$/.test(name))
    throw new Error(`Not a database name of the tests: ${JSON.stringify(name)}`);
}
