import type { BitLayoutOptions, LeaseOptions } from 'nestjs-snowflake';
import type { EtcdLeaseStoreOptions } from 'nestjs-snowflake-coordination/etcd';
import type { RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import type { ZookeeperLeaseStoreOptions } from 'nestjs-snowflake-coordination/zookeeper';
import type { DefectName } from './defects.js';
import type { ScriptVariant } from './script-variants.js';

export type StoreOptions = Omit<RedisLeaseStoreOptions, 'client'>;

/** What an issuing process is to do. It travels as JSON. */
export interface IssuerJob {
  readonly store: StoreOptions;
  /** Addresses of services, through which it reaches the store. */
  readonly services?: readonly string[];
  /** Leases from etcd instead of Redis. */
  readonly etcd?: EtcdLeaseStoreOptions & {
    /** Runs the library with a store that sees no change of history. */
    readonly seesNoHistory?: boolean;
  };
  /** Leases from ZooKeeper instead of Redis. */
  readonly zookeeper?: ZookeeperLeaseStoreOptions;
  readonly layout: BitLayoutOptions;
  readonly lease: LeaseOptions;
  /** ID makers in this process, each with a lease of its own. */
  readonly holders: number;
  /** IDs that each of them makes in a round. */
  readonly idsPerRound: number;
  readonly roundMs: number;
  /** How far its clock is ahead of the true time, in milliseconds. */
  readonly clockOffsetMs: number;
  /** Whether it logs its calls to the store. */
  readonly logsCalls: boolean;
  /** Its releases never reach the store. */
  readonly losesReleases: boolean;
  /** Runs the library with scripts that differ from those of production. */
  readonly scripts?: ScriptVariant;
  /** Runs the library with this fault built in. */
  readonly defect?: DefectName;
  /** Where it writes: IDs of holder n go to `<file>.<n>.ids`, everything else to `<file>.log`. */
  readonly file: string;
  /** Unix time in milliseconds at which the monotonic clock of the system stood at zero. */
  readonly bootedAtMs: number;
}

export const idsFile = (job: Pick<IssuerJob, 'file'>, holder: number): string => `${job.file}.${holder}.ids`;
export const logFile = (job: Pick<IssuerJob, 'file'>): string => `${job.file}.log`;

/**
 * Few sequence numbers per tick, of which an issuer uses about half: the reserve of a window is used up soon, and two
 * holders of the same timestamps cannot miss each other.
 */
export const LAYOUT: BitLayoutOptions = { workerBits: 10, sequenceBits: 3 };

/** A window that a fault can outlast in seconds. */
export const SHORT = {
  windowMs: 2000,
  renewEveryMs: 200,
  callTimeoutMs: 300,
  maxSkewMs: 600,
  reserveMs: 400,
  acquireTimeoutMs: 90_000,
} as const;

/** A window that outlasts a fault, however busy the computer is. */
export const ROOMY = {
  windowMs: 8000,
  renewEveryMs: 500,
  callTimeoutMs: 1000,
  maxSkewMs: 2000,
  reserveMs: 1000,
  acquireTimeoutMs: 90_000,
} as const;
