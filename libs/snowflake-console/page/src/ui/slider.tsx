import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { numberText } from '../messages/messages.js';

const STEPS = 1000;

/** A slider on a logarithmic scale with a number beside it, for values from 1 to billions. */
export function Slider({ label, value, most }: { label: string; value: Signal<number>; most: number }) {
  const id = useId();
  const position = Math.round((Math.log(value.value) / Math.log(most)) * STEPS);
  const slide = (to: number): void => {
    value.value = Math.min(most, Math.max(1, rounded(most ** (to / STEPS))));
  };
  return (
    <div class="slider">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={STEPS}
        value={position}
        aria-valuetext={numberText(value.value)}
        onInput={(event) => slide(event.currentTarget.valueAsNumber)}
      />
      <input
        type="number"
        min={1}
        max={most}
        aria-label={label}
        value={value.value}
        onInput={(event) => {
          const number = event.currentTarget.valueAsNumber;
          if (number >= 1 && number <= most) value.value = Math.round(number);
        }}
      />
    </div>
  );
}

/** Two significant digits are as precise as a slider can be. */
function rounded(value: number): number {
  return value < 100 ? Math.round(value) : Number(value.toPrecision(2));
}
