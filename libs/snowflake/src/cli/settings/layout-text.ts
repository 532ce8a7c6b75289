import {
  type BitLayoutOptions,
  InvalidOptionError,
  layoutPresets,
  type LayoutPresetName,
  type LowerFieldName,
} from '../../core/index.js';

/** A layout. It has the property `epoch`, possibly undefined, if it decides the epoch. */
export interface LayoutText {
  readonly layout: BitLayoutOptions | LayoutPresetName;
  readonly epoch?: string;
}

const WIDTHS = /^\d{1,2}(\/\d{1,2}){2,3}$/;
/** A layout fingerprint as `ids.layout.fingerprint` has it, and as stores and error messages show it. */
const FINGERPRINT =
  /(?:^|\s)epoch=(\S+) tick=(\d+)ms timestamp:(\d+)((?: (?:datacenter|worker|sequence):\d+)+)/;

/** Reads the value of `--layout`. Its widths are checked where the layout is made. @throws InvalidOptionError */
export function readLayout(text: string): LayoutText {
  if (Object.hasOwn(layoutPresets, text)) return { layout: text as LayoutPresetName, epoch: undefined };
  if (WIDTHS.test(text)) return { layout: fromWidths(text.split('/').map(Number)) };
  const fingerprint = FINGERPRINT.exec(text);
  if (fingerprint) return fromFingerprint(fingerprint);
  throw new InvalidOptionError(
    '--layout',
    text,
    'is not a layout',
    `Use a preset (${Object.keys(layoutPresets).join(', ')}), the widths of timestamp/worker/sequence or ` +
      'timestamp/datacenter/worker/sequence such as 41/10/12, or a layout fingerprint.',
  );
}

function fromWidths(widths: readonly number[]): BitLayoutOptions {
  const [timestampBits, ...lower] = widths;
  const [datacenterBits, workerBits, sequenceBits] = lower.length === 3 ? lower : [0, ...lower];
  return { timestampBits, datacenterBits, workerBits, sequenceBits };
}

function fromFingerprint([, epoch, tickMs, timestampBits, lower = '']: readonly string[]): LayoutText {
  const fields = lower
    .trim()
    .split(' ')
    .map((field) => field.split(':'))
    .map(([name, bits]) => ({ name: name as LowerFieldName, bits: Number(bits) }));
  const bitsOf = (name: LowerFieldName): number => fields.find((field) => field.name === name)?.bits ?? 0;
  const absent = (['datacenter', 'worker'] as const).filter((name) => bitsOf(name) === 0);
  return {
    layout: {
      timestampBits: Number(timestampBits),
      datacenterBits: bitsOf('datacenter'),
      workerBits: bitsOf('worker'),
      sequenceBits: bitsOf('sequence'),
      tickMs: Number(tickMs),
      order: [...absent, ...fields.map(({ name }) => name)],
    },
    epoch,
  };
}
