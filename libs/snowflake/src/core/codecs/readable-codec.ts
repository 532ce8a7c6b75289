import type { FieldName } from '../layout/bit-layout-options.js';
import { type BitLayout, type IdFields, requireLayout } from '../layout/bit-layout.js';
import { IdDecoder } from '../ids/decoder.js';
import { InvalidIdError, InvalidOptionError } from '../errors/input-errors.js';
import { requireText } from './encoded-text.js';
import { codecOf, type IdCodec } from './id-codec.js';

const YEAR_0_MS = Date.parse('0000-01-01T00:00:00Z');
const YEAR_10000_MS = Date.parse('+010000-01-01T00:00:00Z');

/** `2026-11-21T09:30:15.123Z` as `20261121T093015123`: ISO 8601, basic format, UTC. */
const BASIC_TIME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})$/;

type LowerFields = Omit<IdFields, 'tick'>;

/** Names of the fields below the timestamp in {@link IdFields}. */
const FIELD_KEYS = { datacenter: 'datacenterId', worker: 'workerId', sequence: 'sequence' } as const;

/**
 * Returns a codec for people who read logs: `20261121T101957897-0017-0002` is UTC time, worker ID and sequence.
 *
 * The fields have the order of the layout, each padded to the width of its largest value, so the form preserves order.
 * If the layout has a datacenter field, the form includes it. A tick longer than 1 ms is written as its first
 * millisecond.
 *
 * Supports the years 0 to 9999. `encode` throws an InvalidIdError for IDs of later years, if the layout lasts that
 * long, and for IDs beyond the end of the layout.
 *
 * @param layout layout of the IDs: `ids.layout` of the ID maker, or a `BitLayout` with the same widths, tick and epoch
 * @throws InvalidOptionError if `layout` isn't a BitLayout, or its epoch is outside these years
 */
export function readableCodec(layout: BitLayout): IdCodec<string> {
  requireLayout(layout);
  if (!isShowable(layout.epochMs)) {
    throw new InvalidOptionError(
      'layout',
      new Date(layout.epochMs),
      'has an epoch outside the years 0 to 9999',
      'Use another epoch or another codec.',
    );
  }
  const form = new ReadableForm(layout);
  return codecOf({
    preservesOrder: true,
    pattern: form.pattern,
    write: (id) => form.write(id),
    read: (encoded) => form.read(encoded),
  });
}

class ReadableForm {
  private readonly decoder: IdDecoder;
  private readonly lowerFields: readonly { key: keyof LowerFields; max: number; width: number }[];
  private readonly remedy: string;
  readonly pattern: string;

  constructor(private readonly layout: BitLayout) {
    this.decoder = new IdDecoder(layout);
    const maxima: Record<FieldName, number> = {
      timestamp: layout.maxTick,
      datacenter: layout.maxDatacenterId,
      worker: layout.maxWorkerId,
      sequence: layout.maxSequence,
    };
    this.lowerFields = layout.fields.flatMap(({ name }) => {
      if (name === 'timestamp') return [];
      const max = maxima[name];
      return [{ key: FIELD_KEYS[name], max, width: String(max).length }];
    });
    this.pattern = `^\\d{8}T\\d{9}${this.lowerFields.map(({ width }) => `-\\d{${width}}`).join('')}$`;
    const example = this.write(0n);
    this.remedy = `Pass a string from encode() with the same layout, such as ${example}.`;
  }

  write(id: bigint): string {
    const decoded = this.decoder.decode(id);
    if (!isShowable(decoded.timestampMs)) {
      throw new InvalidIdError(id, 'is after the year 9999', 'Use another codec for this layout.');
    }
    const parts = this.lowerFields.map(({ key, width }) => String(decoded[key] ?? 0).padStart(width, '0'));
    return [basicTime(decoded.timestampMs), ...parts].join('-');
  }

  read(encoded: unknown): bigint {
    const text = requireText(encoded, this.remedy);
    const [time = '', ...parts] = text.split('-', this.lowerFields.length + 2);
    const timeMs = timeOf(time);
    if (timeMs === undefined) throw this.refusal(text, "doesn't start with a time");
    if (parts.length !== this.lowerFields.length) {
      throw this.refusal(text, `doesn't have ${this.lowerFields.length} fields after the time`);
    }
    const fields: { -readonly [Key in keyof LowerFields]: number } = { workerId: 0, sequence: 0 };
    for (const [at, { key, max, width }] of this.lowerFields.entries()) {
      const part = parts[at] ?? '';
      if (part.length !== width || !/^\d+$/.test(part)) {
        throw this.refusal(text, `has a ${key} that is not ${width} digits`);
      }
      if (Number(part) > max) throw this.refusal(text, `has a ${key} above ${max}`);
      fields[key] = Number(part);
    }
    return this.layout.compose({ tick: this.tickOf(timeMs, text), ...fields });
  }

  private tickOf(timeMs: number, text: string): number {
    const tick = this.layout.tickAt(timeMs);
    if (tick < 0) throw this.refusal(text, "is before the layout's epoch");
    if (tick > this.layout.maxTick) throw this.refusal(text, 'is beyond the end of the layout');
    if (this.layout.startOfTick(tick) !== timeMs) {
      throw this.refusal(text, `has a time that is not the start of a ${this.layout.tickMs} ms tick`);
    }
    return tick;
  }

  private refusal(text: string, problem: string): InvalidIdError {
    return new InvalidIdError(text, problem, this.remedy);
  }
}

function isShowable(timeMs: number): boolean {
  return timeMs >= YEAR_0_MS && timeMs < YEAR_10000_MS;
}

function basicTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/[-:.Z]/g, '');
}

/** Returns `undefined` if `text` isn't a time, or a time that doesn't exist, such as on 30 February. */
function timeOf(text: string): number | undefined {
  if (!BASIC_TIME.test(text)) return undefined;
  const timeMs = Date.parse(text.replace(BASIC_TIME, '$1-$2-$3T$4:$5:$6.$7Z'));
  return Number.isFinite(timeMs) && basicTime(timeMs) === text ? timeMs : undefined;
}
