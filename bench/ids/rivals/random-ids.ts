import * as crypto from 'node:crypto';
import { ObjectId } from 'bson';
import { nanoid } from 'nanoid';
import { monotonicFactory } from 'ulid';
import { v4, v7 } from 'uuid';
import { packageVersion } from './package-version.js';
import type { Rival } from './rival.js';

const random = { kind: 'random', idsPerCall: 1 } as const;

/** Node's own UUIDs of version 7, which only newer versions of Node have. The types don't declare them. */
export const randomUUIDv7 = (crypto as { readonly randomUUIDv7?: () => string }).randomUUIDv7;

const nodeUuidV7: readonly Rival[] =
  randomUUIDv7 === undefined
    ? []
    : [
        {
          ...random,
          name: 'crypto.randomUUIDv7',
          version: process.version,
          clock: 'internal',
          make: () => ({ string: () => randomUUIDv7() }),
        },
      ];

/** IDs that need no worker ID: what they are compared with, not their like. */
export const randomIds: readonly Rival[] = [
  {
    ...random,
    name: 'crypto.randomUUID',
    version: process.version,
    clock: 'none',
    make: () => ({ string: () => crypto.randomUUID() }),
  },
  ...nodeUuidV7,
  {
    ...random,
    name: 'uuid v4',
    version: packageVersion('uuid'),
    clock: 'none',
    make: () => ({ string: () => v4() }),
  },
  {
    ...random,
    name: 'uuid v7',
    version: packageVersion('uuid'),
    clock: 'Date',
    make: () => ({ string: () => v7() }),
  },
  {
    ...random,
    name: 'nanoid',
    version: packageVersion('nanoid'),
    clock: 'none',
    make: () => ({ string: () => nanoid() }),
  },
  {
    ...random,
    // `ulid()` looks for a source of randomness at each call, which makes it a hundred times slower.
    name: 'ulid, monotonic',
    version: packageVersion('ulid'),
    clock: 'Date',
    make() {
      const next = monotonicFactory();
      return { string: () => next() };
    },
  },
  {
    ...random,
    name: 'bson ObjectId',
    version: packageVersion('bson'),
    clock: 'Date',
    make: () => ({ string: () => new ObjectId().toHexString() }),
  },
];
