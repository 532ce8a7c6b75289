import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { t } from '../messages/messages.js';
import { utcTime } from '../messages/times.js';
import {
  inputOf,
  type Moment,
  momentFrom,
  momentOf,
  type OffsetAt,
  offsetText,
  type WallTime,
  wallTime,
} from '../time/local-input.js';
import { Field } from './field.js';

/** An instant, entered as a time of a zone. If the clocks show it twice or never, the viewer chooses the instant. */
export function TimeInput({
  label,
  value,
  zone,
  offsetAt,
}: {
  label: string;
  value: Signal<Moment>;
  zone: string;
  offsetAt: OffsetAt;
}) {
  const { text, ms } = value.value;
  const wall = wallTime(text, offsetAt);
  const isUnclear = wall !== undefined && (wall.isSkipped || wall.instants.length > 1);
  return (
    <Field
      label={label}
      note={ms === undefined ? undefined : `${offsetText(ms, offsetAt)} · ${utcTime(ms)}`}
      problem={text === '' ? undefined : problemOf(wall, zone)}
      input={(attributes) => (
        <input
          {...attributes}
          type="datetime-local"
          step="0.001"
          value={text}
          onInput={(event) => (value.value = momentFrom(event.currentTarget.value, offsetAt))}
        />
      )}
    >
      {isUnclear && <Instants wall={wall} value={value} zone={zone} offsetAt={offsetAt} />}
    </Field>
  );
}

function problemOf(wall: WallTime | undefined, zone: string): string | undefined {
  if (!wall) return t('time.unknown');
  return wall.isSkipped ? t('time.skipped', { zone }) : undefined;
}

function Instants({
  wall: { instants, isSkipped },
  value,
  zone,
  offsetAt,
}: {
  wall: WallTime;
  value: Signal<Moment>;
  zone: string;
  offsetAt: OffsetAt;
}) {
  const name = useId();
  return (
    <fieldset class="choices" aria-label={isSkipped ? t('time.skipped', { zone }) : undefined}>
      {!isSkipped && (
        <legend>
          <span role="alert">{t('time.twice', { zone })}</span>
        </legend>
      )}
      {instants.map((ms) => (
        <label key={ms} class="check">
          <input
            type="radio"
            name={name}
            checked={value.value.ms === ms}
            onChange={(event) => {
              // The choice disappears with the answer, and the focus must not be lost with it.
              if (isSkipped) event.currentTarget.closest('.field')?.querySelector('input')?.focus();
              value.value = momentOf(ms, offsetAt);
            }}
          />
          <span>
            {inputOf(ms, offsetAt).slice(11)} {offsetText(ms, offsetAt)} <small>{utcTime(ms)}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
