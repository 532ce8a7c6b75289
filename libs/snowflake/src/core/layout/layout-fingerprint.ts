import { InvalidOptionError } from '../errors/input-errors.js';
import type { BitLayout } from './bit-layout.js';
import type { BitLayoutOptions, LowerFieldName } from './bit-layout-options.js';
import { withEveryLowerField } from './layout-validation.js';

const FINGERPRINT =
  /(?<!\S)epoch=(\S+) tick=(\d+)ms timestamp:(\d+)((?: (?:datacenter|worker|sequence):\d+)+)(?!\S)/;

/** What a fingerprint says of a layout. */
export interface ReadFingerprint {
  /** The fingerprint without the text around it. */
  readonly fingerprint: string;
  readonly options: BitLayoutOptions;
  readonly epoch: string;
}

/** Returns {@link BitLayout.fingerprint}. */
export function writeFingerprint({ epochMs, tickMs, fields }: Omit<BitLayout, 'fingerprint'>): string {
  const widths = fields.map(({ name, bits }) => `${name}:${bits}`).join(' ');
  return `epoch=${new Date(epochMs).toISOString()} tick=${tickMs}ms ${widths}`;
}

/**
 * Finds a fingerprint in `text`. The `BitLayout` constructor checks the widths.
 *
 * @throws InvalidOptionError if the text holds none
 */
export function readFingerprint(text: string): ReadFingerprint {
  const [fingerprint, epoch = '', tickMs, timestampBits, lower = ''] = FINGERPRINT.exec(text) ?? [];
  if (fingerprint === undefined) {
    throw new InvalidOptionError(
      'fingerprint',
      text,
      'is not the fingerprint of a layout',
      'Pass the fingerprint of a layout, such as "epoch=2024-01-01T00:00:00.000Z tick=1ms timestamp:41 worker:10 sequence:12".',
    );
  }
  const fields = new Map(lower.trim().split(' ').map(nameAndBits));
  const options = {
    timestampBits: Number(timestampBits),
    datacenterBits: fields.get('datacenter') ?? 0,
    workerBits: fields.get('worker') ?? 0,
    sequenceBits: fields.get('sequence') ?? 0,
    tickMs: Number(tickMs),
    order: withEveryLowerField([...fields.keys()]),
  };
  return { fingerprint, options, epoch };
}

function nameAndBits(field: string): [LowerFieldName, number] {
  const [name, bits] = field.split(':');
  return [name as LowerFieldName, Number(bits)];
}
