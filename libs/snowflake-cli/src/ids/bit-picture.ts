import type { BitLayout, DecodedId, FieldName } from 'nestjs-snowflake/core';
import type { Style, Terminal } from '../frame/terminal.js';

const ID_BITS = 64;

const FIELD_STYLES: Readonly<Record<FieldName, Style>> = {
  timestamp: 'cyan',
  datacenter: 'magenta',
  worker: 'yellow',
  sequence: 'green',
};

interface Part {
  readonly bits: string;
  readonly style: Style;
  /** The value of the field. The bits above the highest field have none. */
  readonly caption?: string;
}

/** Returns the bits of an ID, field by field, and below them the value of each field. */
export function bitPicture(decoded: DecodedId, layout: BitLayout, terminal: Terminal): string[] {
  const parts = partsOf(decoded, layout);
  const bits = parts.map(({ bits: text, style }) => terminal.style(style, text)).join(' ');
  const captions = parts.flatMap(({ caption, style }, at) => {
    if (caption === undefined) return [];
    return [`${pillars(parts.slice(0, at), terminal)}${terminal.style(style, `└ ${caption}`)}`];
  });
  return [bits, ...captions.reverse()];
}

/** Returns lines from the fields in `parts` down to their captions, which are below. */
function pillars(parts: readonly Part[], terminal: Terminal): string {
  return parts
    .map(({ bits, caption, style }) => {
      const pillar = caption === undefined ? ' ' : terminal.style(style, '│');
      return pillar + ' '.repeat(bits.length);
    })
    .join('');
}

function partsOf(decoded: DecodedId, layout: BitLayout): Part[] {
  const bits = BigInt(decoded.id).toString(2).padStart(ID_BITS, '0');
  const unused = ID_BITS - layout.fields.reduce((sum, field) => sum + field.bits, 0);
  return [
    { bits: bits.slice(0, unused), style: 'dim' },
    ...layout.fields.map(({ name, bits: width, shift }) => ({
      bits: bits.slice(ID_BITS - shift - width, ID_BITS - shift),
      style: FIELD_STYLES[name],
      caption: captionOf(name, decoded, layout),
    })),
  ];
}

function captionOf(name: FieldName, decoded: DecodedId, { tickMs, epochMs }: BitLayout): string {
  switch (name) {
    case 'timestamp': {
      const unit = tickMs === 1 ? 'ms' : `ticks of ${tickMs} ms`;
      return `timestamp ${decoded.tick} ${unit} since ${new Date(epochMs).toISOString()}`;
    }
    case 'datacenter':
      return `datacenter ID ${decoded.datacenterId}`;
    case 'worker':
      return `worker ID ${decoded.workerId}`;
    case 'sequence':
      return `sequence ${decoded.sequence}`;
  }
}
