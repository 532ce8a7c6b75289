import type { FieldName } from 'nestjs-snowflake/core';
import { t } from '../messages/messages.js';

const HEIGHT = 24;
const BIT = 10;

/** Shows how the bits of an ID are divided, the most significant field on the left. */
export function WidthBar({
  widths,
}: {
  widths: readonly { readonly name: string; readonly bits: number }[];
}) {
  const words = widths.map(({ name, bits }) => `${t(`field.${name as FieldName}`)} ${bits}`).join(', ');
  const used = widths.reduce((sum, { bits }) => sum + bits, 0);
  let x = (63 - used) * BIT;
  return (
    <svg class="width-bar" viewBox={`0 0 ${63 * BIT} ${HEIGHT}`} role="img" aria-label={words}>
      {widths.map(({ name, bits }) => {
        const start = x;
        x += bits * BIT;
        return (
          <g key={name}>
            <rect
              class={`area field-${name}`}
              x={start + 1}
              y={0}
              width={bits * BIT - 2}
              height={HEIGHT}
              rx={4}
            />
            <text x={start + (bits * BIT) / 2} y={HEIGHT / 2 + 5}>
              {bits}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
