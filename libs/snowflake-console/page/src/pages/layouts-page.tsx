import { computed } from '@preact/signals';
import { suggestLayout } from 'nestjs-snowflake/core';
import { isEpoch } from '../layouts/layout-bounds.js';
import { numberText, t } from '../messages/messages.js';
import { isWithin } from '../ui/number-input.js';
import { Slider } from '../ui/slider.js';
import { TextInput } from '../ui/text-input.js';
import { epoch, idsPerSecond, tickMs, TICKS_MS, workers, years } from './layouts-state.js';
import { PresetTable } from './preset-table.js';
import { SuggestedLayout } from './suggested-layout.js';

const MOST = { years: 1000, workers: 1_000_000, idsPerSecond: 10_000_000 };

/** The demands in the fields, unless one of them is invalid. */
const demands = computed(() => {
  const areRight =
    isWithin(years.value, { least: 1, most: MOST.years }) &&
    isWithin(workers.value, { least: 1, most: MOST.workers }) &&
    isWithin(idsPerSecond.value, { least: 1, most: MOST.idsPerSecond }) &&
    isEpoch(epoch.value.trim());
  return areRight
    ? {
        years: years.value,
        workers: workers.value,
        idsPerSecondPerWorker: idsPerSecond.value,
        tickMs: tickMs.value,
        epoch: epoch.value.trim(),
      }
    : undefined;
});

/** The layout for the demands, if they fit into an ID. */
const suggestion = computed(() => {
  try {
    return demands.value && suggestLayout(demands.value);
  } catch {
    return undefined;
  }
});

/** Finds the widths for a lifetime, a number of processes and a rate. */
export function LayoutsPage() {
  return (
    <>
      <section class="panel">
        <h2>{t('layouts.size')}</h2>
        <Slider label={t('layouts.years')} value={years} most={MOST.years} />
        <Slider label={t('layouts.workers')} value={workers} most={MOST.workers} />
        <Slider label={t('layouts.rate')} value={idsPerSecond} most={MOST.idsPerSecond} />
        <div class="form">
          <label>
            {t('layout.tickMs')}
            <select
              value={tickMs.value}
              onChange={(event) => (tickMs.value = Number(event.currentTarget.value))}
            >
              {TICKS_MS.map((tick) => (
                <option key={tick} value={tick}>
                  {numberText(tick)}
                </option>
              ))}
            </select>
          </label>
          <TextInput
            label={t('layout.epoch')}
            value={epoch}
            problem={isEpoch(epoch.value.trim()) ? undefined : t('layout.badEpoch')}
          />
        </div>
        <Problem />
      </section>
      {suggestion.value && <SuggestedLayout suggestion={suggestion.value} />}
      <PresetTable />
    </>
  );
}

/** Why there is no suggestion. */
function Problem() {
  if (!demands.value) return <p class="note">{t('number.waiting')}</p>;
  if (suggestion.value) return null;
  return (
    <p class="problem" role="alert">
      {t('layouts.tooMuch')}
    </p>
  );
}
