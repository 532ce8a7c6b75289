import { useState } from 'preact/hooks';
import type { BitLayout, FieldName } from 'nestjs-snowflake/core';
import { bitsOf } from '../ids/texts-of-id.js';
import type { MessageKey } from '../messages/languages.js';
import { numberText, t } from '../messages/messages.js';

interface Stretch {
  readonly name: FieldName | 'sign' | 'unused';
  readonly bits: string;
  readonly value?: number;
}

const LABELS: Record<Stretch['name'], MessageKey> = {
  sign: 'field.sign',
  unused: 'field.unused',
  timestamp: 'field.timestamp',
  datacenter: 'field.datacenter',
  worker: 'field.worker',
  sequence: 'field.sequence',
};

/** Divides the 64 bits of an ID into its fields, the most significant first. */
function stretchesOf(id: string, layout: BitLayout): Stretch[] {
  const bits = bitsOf(id);
  const used = layout.fields.reduce((sum, field) => sum + field.bits, 0);
  const lower = layout.fields.map(({ name, shift, bits: width }) => {
    const text = bits.slice(64 - shift - width, 64 - shift);
    return { name, bits: text, value: Number.parseInt(text, 2) };
  });
  const unused = bits.slice(1, 64 - used);
  return [
    { name: 'sign', bits: bits.slice(0, 1) },
    ...(unused ? [{ name: 'unused' as const, bits: unused }] : []),
    ...lower,
  ];
}

/** Shows the bits of an ID, colored by field. A field that is pointed at stands out in both the bits and the legend. */
export function BitPicture({ id, layout }: { id: string; layout: BitLayout }) {
  const [active, setActive] = useState<Stretch['name'] | undefined>();
  const stretches = stretchesOf(id, layout);
  const named = stretches.filter(({ name }) => name !== 'unused' && name !== 'sign');
  const cells = stretches.flatMap(({ name, bits }) => [...bits].map((bit) => ({ name, bit })));
  const marks = (name: Stretch['name']): string => (active === undefined || active === name ? '' : 'is-dim');
  return (
    <figure class="bits">
      <div class="bit-cells" role="img" aria-label={t('bits.label', { bits: bitsOf(id) })}>
        {cells.map(({ name, bit }, position) => (
          <span
            key={position}
            class={`bit field-${name} ${marks(name)}`}
            onMouseEnter={() => setActive(name)}
            onMouseLeave={() => setActive(undefined)}
          >
            {bit}
          </span>
        ))}
      </div>
      <figcaption>
        <ul class="legend">
          {named.map(({ name, bits, value }) => (
            <li key={name}>
              <button
                type="button"
                class={`legend-item ${marks(name)}`}
                aria-pressed={active === name}
                onMouseEnter={() => setActive(name)}
                onMouseLeave={() => setActive(undefined)}
                onFocus={() => setActive(name)}
                onBlur={() => setActive(undefined)}
              >
                <span class={`swatch field-${name}`} aria-hidden="true" />
                <span>
                  {t(LABELS[name])} <strong>{numberText(value ?? 0)}</strong>{' '}
                  <small>{t('bits.width', { count: bits.length })}</small>
                </span>
              </button>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}
