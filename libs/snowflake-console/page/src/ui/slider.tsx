import type { Signal } from '@preact/signals';
import { useId, useMemo } from 'preact/hooks';
import { numberText } from '../messages/messages.js';
import { FieldProblem } from './field.js';
import { problemOf } from './number-input.js';
import { stepAt, stepsTo } from './slider-steps.js';

/** A slider with a number beside it, for values from 1 to billions. Each step of the slider is another value. */
export function Slider({ label, value, most }: { label: string; value: Signal<number>; most: number }) {
  const id = useId();
  const steps = useMemo(() => stepsTo(most), [most]);
  const step = stepAt(steps, value.value);
  const problem = problemOf(value.value, { least: 1, most });
  return (
    <div class="slider">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={steps.length - 1}
        value={step}
        aria-valuetext={numberText(problem ? (steps[step] ?? 1) : value.value)}
        onInput={(event) => (value.value = steps[event.currentTarget.valueAsNumber] ?? 1)}
      />
      <input
        type="number"
        min={1}
        max={most}
        aria-label={label}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? `${id}-problem` : undefined}
        value={Number.isNaN(value.value) ? '' : value.value}
        onInput={(event) => (value.value = event.currentTarget.valueAsNumber)}
      />
      <FieldProblem id={`${id}-problem`} problem={problem} />
    </div>
  );
}
