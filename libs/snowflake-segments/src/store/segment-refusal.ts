import { HistoryChangedError, UnknownTagError } from '../core/segment-errors.js';
import type { SnowflakeError } from 'nestjs-snowflake/core';
import { StoreRejectedError } from 'nestjs-snowflake/store';
import type { ClaimReply } from './segment-store.js';

/** A reply that says why a store grants nothing. */
export type ClaimRefusal = Exclude<ClaimReply, { outcome: 'granted' | 'spent' }>;

/** Returns the error of a refused claim. @param store names the store, or the database of it */
export function refusalError(tag: string, store: string, refusal: ClaimRefusal): SnowflakeError {
  switch (refusal.outcome) {
    case 'unknown-tag':
      return new UnknownTagError(tag, store);
    case 'lost':
      return new HistoryChangedError(store, refusal.reason);
    case 'ended':
      return new StoreRejectedError(
        `The tag "${tag}" of ${store} has granted its last number, 2^53 - 1. Use another tag.`,
      );
    case 'stride':
      return new StoreRejectedError(
        `The tag "${tag}" of ${store} has ${refusal.stored}, but this process has ${refusal.own}. Use the ` +
          'stored values: numbers of two strides can collide.',
      );
  }
}
