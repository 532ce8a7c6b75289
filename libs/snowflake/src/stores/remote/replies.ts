import type {
  LeaseReply,
  RegistryRow,
  RegistrySnapshot,
  ReleaseReply,
  UnreadableField,
} from '../../lease/lease-store.js';
import { FieldReader } from './field-reader.js';

/** Converts the reply to a lease request. @throws StoreRejectedError if no service sends it */
export function toLeaseReply(reply: unknown, describedAs: string): LeaseReply {
  const read = new FieldReader(reply, describedAs);
  const outcome = read.text('outcome');
  switch (outcome) {
    case 'kept':
      return {
        outcome,
        fencingToken: read.text('fencingToken'),
        untilMs: read.number('untilMs'),
        storeNowMs: read.number('storeNowMs'),
      };
    case 'copied':
      return { outcome, storeNowMs: read.number('storeNowMs') };
    case 'new':
      return {
        outcome,
        workerId: read.number('workerId'),
        fencingToken: read.text('fencingToken'),
        fromMs: read.number('fromMs'),
        untilMs: read.number('untilMs'),
        storeNowMs: read.number('storeNowMs'),
      };
    case 'wait': {
      const reason = read.text('reason') === 'history' ? 'history' : 'empty';
      return { outcome, waitMs: read.number('waitMs'), reason, storeNowMs: read.number('storeNowMs') };
    }
    case 'full':
      return { outcome, nextFreeInMs: read.number('nextFreeInMs'), storeNowMs: read.number('storeNowMs') };
    case 'alone':
      return { outcome, replicas: read.number('replicas'), storeNowMs: read.number('storeNowMs') };
    case 'layout':
      return { outcome, storedLayout: read.text('storedLayout') };
    case 'corrupt':
      return { outcome, field: read.text('field'), stored: read.text('stored') };
    default:
      return read.refuse();
  }
}

/** Converts the reply to a release. @throws StoreRejectedError if no service sends it */
export function toReleaseReply(reply: unknown, describedAs: string): ReleaseReply {
  const read = new FieldReader(reply, describedAs);
  const outcome = read.text('outcome');
  switch (outcome) {
    case 'released': {
      const reservedUntilMs = read.optionalNumber('reservedUntilMs');
      return reservedUntilMs === undefined ? { outcome } : { outcome, reservedUntilMs };
    }
    case 'gone':
      return { outcome };
    default:
      return read.refuse();
  }
}

/** Converts the registry. @throws StoreRejectedError if no service sends it */
export function toSnapshot(reply: unknown, describedAs: string): RegistrySnapshot {
  const read = new FieldReader(reply, describedAs);
  const optional = {
    layout: read.optionalText('layout'),
    historyId: read.optionalText('historyId'),
    grantsAfterMs: read.optionalNumber('grantsAfterMs'),
    longestWindowMs: read.optionalNumber('longestWindowMs'),
    longestMaxSkewMs: read.optionalNumber('longestMaxSkewMs'),
    freshWorkerId: read.optionalNumber('freshWorkerId'),
    waiting: read.optionalNumber('waiting'),
    longestWaitMs: read.optionalNumber('longestWaitMs'),
    unreadable: read.field('unreadable') === undefined ? undefined : read.list('unreadable', toUnreadable),
  };
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  return {
    storeNowMs: read.number('storeNowMs'),
    ...(Object.fromEntries(given) as typeof optional),
    rows: read.list('rows', toRow),
  };
}

function toRow(read: FieldReader): RegistryRow {
  return {
    workerId: read.number('workerId'),
    reservedUntilMs: read.number('reservedUntilMs'),
    fencingToken: read.text('fencingToken'),
  };
}

function toUnreadable(read: FieldReader): UnreadableField {
  return { field: read.text('field'), stored: read.text('stored') };
}
