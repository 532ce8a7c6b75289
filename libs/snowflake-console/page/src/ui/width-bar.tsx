import type { FieldName } from 'nestjs-snowflake/core';
import { t } from '../messages/messages.js';

const ID_BITS = 63;

/** Shows how the bits of an ID are divided, the most significant field on the left. */
export function WidthBar({
  widths,
}: {
  widths: readonly { readonly name: string; readonly bits: number }[];
}) {
  const words = widths.map(({ name, bits }) => `${t(`field.${name as FieldName}`)} ${bits}`).join(', ');
  const used = widths.reduce((sum, { bits }) => sum + bits, 0);
  const percent = (bits: number): string => `${(bits / ID_BITS) * 100}%`;
  let start = ID_BITS - used;
  // Percentages instead of a view box, so that the numbers keep their size.
  return (
    <svg class="width-bar" role="img" aria-label={words}>
      {widths.map(({ name, bits }) => {
        const x = start;
        start += bits;
        return (
          <g key={name}>
            <rect class={`area field-${name}`} x={percent(x)} width={percent(bits)} height="100%" />
            {bits > 2 && (
              <text x={percent(x + bits / 2)} y="50%">
                {bits}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}
