import { readFileSync } from 'node:fs';
import { BitLayout, type BitLayoutOptions, type IdFields } from 'nestjs-snowflake/core';

/** A layout, written down without the help of the library. Fields come most significant first. */
export interface VectorLayout {
  /** The name of a preset, or what is special about it. */
  readonly layout: string;
  readonly epochMs: number;
  readonly tickMs: number;
  readonly fields: readonly { readonly name: FieldName; readonly bits: number }[];
}

export type FieldName = 'timestamp' | 'datacenter' | 'worker' | 'sequence';

/** An ID and what it is made of. Made by `generate.py`. */
export interface Vector {
  readonly values: readonly number[];
  readonly timeMs: number;
  /** `null` beyond the year 9999. */
  readonly time: string | null;
  readonly decimal: string;
  /** 16 digits. */
  readonly hex: string;
  /** 64 digits: what no field uses, then each field, with spaces between. */
  readonly binary: string;
}

export interface NamedVector extends Vector {
  readonly name: string;
  readonly layout: VectorLayout;
}

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

export const layouts =
  read<readonly (VectorLayout & { readonly vectors: readonly Vector[] })[]>('computed.json');
export const vectors: readonly NamedVector[] = layouts.flatMap((layout) =>
  layout.vectors.map((vector) => ({
    ...vector,
    layout,
    name: `${layout.layout} ${vector.values.join('/')}`,
  })),
);
export const published = read<readonly PublishedVector[]>('published.json');

/** The same layout as the library has it. */
export function libraryLayout({ epochMs, tickMs, fields }: VectorLayout): BitLayout {
  const bits = (name: FieldName): number => fields.find((field) => field.name === name)?.bits ?? 0;
  const order = fields.flatMap(({ name }) => (name === 'timestamp' ? [] : [name]));
  const options: BitLayoutOptions = {
    timestampBits: bits('timestamp'),
    datacenterBits: bits('datacenter'),
    workerBits: bits('worker'),
    sequenceBits: bits('sequence'),
    tickMs,
    order,
  };
  return new BitLayout(options, epochMs);
}

/** The fields as the library names them. */
export function libraryFields({ layout, values }: NamedVector): Required<IdFields> {
  const value = (name: FieldName): number => values[layout.fields.findIndex((f) => f.name === name)] ?? 0;
  return {
    tick: value('timestamp'),
    datacenterId: value('datacenter'),
    workerId: value('worker'),
    sequence: value('sequence'),
  };
}

/** Widths and values, most significant first. */
export function parts({ layout, values }: NamedVector): { bits: number; value: number }[] {
  return layout.fields.map(({ bits }, at) => ({ bits, value: values[at] ?? 0 }));
}

/**
 * Vectors as programs in other languages read them, one a line: name, `bits:value` of each field from the most
 * significant one down, decimal, hexadecimal and binary digits, with tabs between.
 */
export function toTsv(lines: readonly NamedVector[]): string {
  return lines
    .map((vector) =>
      [
        vector.name,
        parts(vector)
          .map(({ bits, value }) => `${bits}:${value}`)
          .join(','),
        vector.decimal,
        vector.hex,
        vector.binary.replaceAll(' ', ''),
      ].join('\t'),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as T;
}
