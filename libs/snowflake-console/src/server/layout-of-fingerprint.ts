import { BitLayout, type BitLayoutOptions, type LowerFieldName } from 'nestjs-snowflake/core';

const FINGERPRINT = /^v\d+ (epoch=(\S+) tick=(\d+)ms ((?:[a-z]+:\d+ ?)+)) workers=\d+\+\d+$/;
const BITS = {
  timestamp: 'timestampBits',
  datacenter: 'datacenterBits',
  worker: 'workerBits',
  sequence: 'sequenceBits',
} as const;

/** Returns the layout that a namespace serves, or undefined if its fingerprint is that of another version. */
export function layoutOfFingerprint(
  fingerprint: string | undefined,
): (BitLayoutOptions & { readonly epochMs: number }) | undefined {
  const [, own, epoch = '', tick, fields = ''] = FINGERPRINT.exec(fingerprint ?? '') ?? [];
  const widths = fields.split(' ').map((field) => field.split(':'));
  const named = Object.entries(BITS).map(([name, option]) => {
    const width = widths.find(([each]) => each === name)?.[1];
    return [option, Number(width ?? 0)] as const;
  });
  const names = widths.map(([name]) => name);
  const missing = ['datacenter', 'worker'].filter((name) => !names.includes(name));
  const order = [...missing, ...names.slice(1)] as LowerFieldName[];
  const options = { ...Object.fromEntries(named), tickMs: Number(tick), order };
  try {
    const layout = new BitLayout(options, epoch);
    return layout.fingerprint === own ? { ...options, epochMs: layout.epochMs } : undefined;
  } catch {
    return undefined;
  }
}
