import { readFileSync } from 'node:fs';
import { BitLayout, type BitLayoutOptions, type IdFields, layoutPreset } from 'nestjs-snowflake/core';

/** An ID of which somebody else has published fields or time. */
export interface PublishedVector {
  readonly system: string;
  readonly layout?: BitLayoutOptions;
  readonly epoch?: string;
  readonly id: string;
  readonly time?: string;
  /** How exact `time` is. */
  readonly precisionMs?: number;
  /** As far as the source gives them. */
  readonly fields?: Partial<IdFields>;
  readonly binary?: string;
  readonly source: string;
  readonly note?: string;
}

export const published = JSON.parse(
  readFileSync(new URL('published.json', import.meta.url), 'utf8'),
) as readonly PublishedVector[];

export function layoutOf({ system, layout, epoch }: PublishedVector): BitLayout {
  const preset = layoutPreset(system);
  return new BitLayout(layout ?? preset.layout, epoch ?? preset.epoch);
}
