import { spaceName } from '../core/options/space-name.js';

/** The stores to choose from. */
export const STORES = ['redis', 'sql', 'memory'] as const;
export type StoreName = (typeof STORES)[number];

/** What the user decides. Everything has a default. */
export interface SetupRequest {
  /** A project of the workspace; by default the one that `nest start` starts. */
  readonly project?: string | undefined;
  /** Where worker IDs are leased; by default what fits the app best. */
  readonly store?: StoreName | undefined;
  /** The name of the ID space; by default the name of the app. */
  readonly namespace?: string | undefined;
  /** A TypeORM entity whose primary key becomes a Snowflake ID. */
  readonly entity?: string | undefined;
}

/** What the setup reads from its surroundings. */
export interface Surroundings {
  readonly nowMs: number;
  /** The version of the library that the app gets. */
  readonly libraryVersion: string;
  readonly isWindows: boolean;
}

/** The answers to the two questions. */
export interface Decisions {
  readonly store: StoreName;
  readonly namespace: string;
}

const NAMESPACE = spaceName('shop');

/** Returns a text that can be a namespace. @throws InvalidOptionError if it can't */
export function checkedNamespace(namespace: string): string {
  return NAMESPACE.check('namespace', namespace);
}
