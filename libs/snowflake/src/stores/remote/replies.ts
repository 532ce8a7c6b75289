import { StoreRejectedError } from '../../core/errors/lease-errors.js';
import { showValue } from '../../core/errors/show-value.js';
import type {
  LeaseReply,
  RegistryRow,
  RegistrySnapshot,
  ReleaseReply,
  UnreadableField,
} from '../../lease/lease-store.js';

/** The fields of a JSON object that a service has sent. */
class FieldReader {
  constructor(
    private readonly from: unknown,
    private readonly describedAs: string,
  ) {}

  text(name: string): string {
    const value = this.field(name);
    return typeof value === 'string' ? value : this.refuse();
  }

  number(name: string): number {
    const value = this.field(name);
    return Number.isSafeInteger(value) ? (value as number) : this.refuse();
  }

  optionalText(name: string): string | undefined {
    return this.field(name) === undefined ? undefined : this.text(name);
  }

  optionalNumber(name: string): number | undefined {
    return this.field(name) === undefined ? undefined : this.number(name);
  }

  list<Item>(name: string, read: (item: FieldReader) => Item): readonly Item[] {
    const value = this.field(name);
    if (!Array.isArray(value)) return this.refuse();
    return value.map((item) => read(new FieldReader(item, this.describedAs)));
  }

  field(name: string): unknown {
    return Object.hasOwn(Object(this.from) as object, name)
      ? Reflect.get(this.from as object, name)
      : undefined;
  }

  /** @throws StoreRejectedError */
  refuse(): never {
    throw new StoreRejectedError(
      `${this.describedAs} replied ${showValue(this.from)}, which no version of the service sends. Check that the address is that ` +
        'of a nestjs-snowflake-service of the same major version.',
    );
  }
}

/** Converts the reply to a lease request. @throws StoreRejectedError if no service sends it */
export function toLeaseReply(reply: unknown, describedAs: string): LeaseReply {
  const read = new FieldReader(reply, describedAs);
  const outcome = read.text('outcome');
  switch (outcome) {
    case 'kept':
      return { outcome, untilMs: read.number('untilMs'), storeNowMs: read.number('storeNowMs') };
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
      const takenUntilMs = read.optionalNumber('takenUntilMs');
      return takenUntilMs === undefined ? { outcome } : { outcome, takenUntilMs };
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
