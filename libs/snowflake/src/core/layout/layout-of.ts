import { BitLayout, DEFAULT_EPOCH } from './bit-layout.js';
import type { BitLayoutOptions, Instant } from './bit-layout-options.js';
import { layoutPreset } from './presets.js';

/** Returns the layout of these widths, or of the preset with this name. @throws InvalidOptionError */
export function layoutOf(
  layout: BitLayoutOptions | string | undefined,
  epoch: Instant | undefined,
): BitLayout {
  if (typeof layout !== 'string') return new BitLayout(layout, epoch ?? DEFAULT_EPOCH);
  const preset = layoutPreset(layout);
  return new BitLayout(preset.layout, epoch ?? preset.epoch);
}
