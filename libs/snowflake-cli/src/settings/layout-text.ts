import {
  BitLayout,
  type BitLayoutOptions,
  type Instant,
  InvalidOptionError,
  type LayoutPresetName,
  layoutPresets,
} from 'nestjs-snowflake/core';
import { nearestName } from 'nestjs-snowflake/internal/core/options/nearest-name';

/** A layout. If it fixes the epoch, it has the property `epoch`, which is undefined for the epoch of the preset. */
export interface LayoutText {
  readonly layout: BitLayoutOptions | LayoutPresetName;
  readonly epoch?: Instant;
}

const WIDTHS = /^\d{1,2}(\/\d{1,2}){2,3}$/;

const PRESETS = Object.keys(layoutPresets);

/** Reads the value of `--layout`. The layout itself checks its widths. @throws InvalidOptionError */
export function readLayout(text: string): LayoutText {
  if (Object.hasOwn(layoutPresets, text)) return { layout: text as LayoutPresetName, epoch: undefined };
  if (WIDTHS.test(text)) return { layout: fromWidths(text.split('/').map(Number)) };
  if (/\bepoch=/.test(text)) {
    const layout = BitLayout.fromFingerprint(text);
    return { layout: layout.toOptions(), epoch: new Date(layout.epochMs) };
  }
  const nearest = nearestName(text, PRESETS);
  throw new InvalidOptionError(
    '--layout',
    text,
    'is not a layout',
    `${nearest === undefined ? '' : `Did you mean ${nearest}? `}Use a preset (${PRESETS.join(', ')}), the widths of timestamp/worker/sequence or ` +
      'timestamp/datacenter/worker/sequence such as 41/10/12, or a layout fingerprint.',
  );
}

function fromWidths(widths: readonly number[]): BitLayoutOptions {
  const [timestampBits, ...lower] = widths;
  const [datacenterBits, workerBits, sequenceBits] = lower.length === 3 ? lower : [0, ...lower];
  return { timestampBits, datacenterBits, workerBits, sequenceBits };
}
