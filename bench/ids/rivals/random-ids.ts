import { randomUUID } from 'node:crypto';
import { ObjectId } from 'bson';
import { nanoid } from 'nanoid';
import { decodeTime, monotonicFactory } from 'ulid';
import { v4, v7 } from 'uuid';
import { packageVersion } from './package-version.js';
import type { Rival } from './rival.js';

const random = { kind: 'random', idsPerCall: 1 } as const;

/** IDs that need no worker ID: what they are compared with, not their like. */
export const randomIds: readonly Rival[] = [
  {
    ...random,
    name: 'crypto.randomUUID',
    version: process.version,
    clock: 'none',
    make: () => ({ string: () => randomUUID() }),
  },
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
      return { string: () => next(), decode: decodeTime };
    },
  },
  {
    ...random,
    name: 'bson ObjectId',
    version: packageVersion('bson'),
    clock: 'Date',
    make: () => ({
      string: () => new ObjectId().toHexString(),
      decode: (id) => ObjectId.createFromHexString(id).getTimestamp(),
    }),
  },
];
