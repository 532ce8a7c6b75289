import { computed } from '@preact/signals';
import { BitLayout, suggestLayout } from 'nestjs-snowflake/core';
import { type Miss, missesOf, type Needs } from '../layouts/fit.js';
import { isEpoch } from '../layouts/layout-bounds.js';
import { factsOf } from '../layouts/layout-facts.js';
import { numberText, t } from '../messages/messages.js';
import { dateText } from '../messages/times.js';
import { instantOf } from '../time/instant.js';
import { isWithin, NumberField } from '../ui/number-input.js';
import { Slider } from '../ui/slider.js';
import { TextInput } from '../ui/text-input.js';
import { epoch, idsPerSecond, tickMs, TICKS_MS, workers, years } from './layouts-state.js';
import { DecodeCodePanel } from './decode-code-panel.js';
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

/** Tells whether the default layout fits a lifetime, a number of processes and a rate, and else which one does. */
export function LayoutsPage() {
  const needs = demands.value;
  const misses = needs && missesOf(factsOf(new BitLayout({}, needs.epoch)), needs);
  return (
    <>
      <section class="panel">
        <h2 class="for-readers">{t('layouts.size')}</h2>
        {needs && misses && <Verdict needs={needs} misses={misses} />}
        <Slider label={t('layouts.years')} value={years} most={MOST.years} />
        <Slider label={t('layouts.workers')} value={workers} most={MOST.workers} />
        <Slider label={t('layouts.rate')} value={idsPerSecond} most={MOST.idsPerSecond} />
        <div class="form">
          <UntilField />
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
      {suggestion.value && <Suggestion isNeeded={misses !== undefined && misses.length > 0} />}
      <PresetTable needs={needs} />
      <DecodeCodePanel />
    </>
  );
}

/** Widths of one's own are folded if the default fits, since they only make the IDs harder to read elsewhere. */
function Suggestion({ isNeeded }: { isNeeded: boolean }) {
  if (!suggestion.value) return null;
  const suggested = <SuggestedLayout suggestion={suggestion.value} />;
  return isNeeded ? (
    suggested
  ) : (
    <details class="panel">
      <summary>{t('layouts.exactly')}</summary>
      {suggested}
    </details>
  );
}

function Verdict({ needs, misses }: { needs: Needs; misses: readonly Miss[] }) {
  const { workerIds, idsPerSecondPerWorker, expiresMs } = factsOf(new BitLayout({}, needs.epoch));
  if (misses.length > 0) {
    const reasons = misses.map((miss) => t(`layouts.miss.${miss}`)).join(', ');
    return (
      <p class="sentence" role="status">
        <strong class="bad">{t('layouts.defaultMisses')}</strong> {reasons}
      </p>
    );
  }
  return (
    <p class="sentence" role="status">
      <strong class="good">{t('layouts.defaultFits')}</strong>{' '}
      {t('layouts.capacity', {
        workers: workerIds,
        rate: idsPerSecondPerWorker,
        date: dateText(expiresMs),
      })}
    </p>
  );
}

/** The years as the year in which they end. */
function UntilField() {
  const epochMs = instantOf(epoch.value.trim());
  if (epochMs === undefined) return null;
  const from = new Date(epochMs).getUTCFullYear();
  return (
    <NumberField
      label={t('layouts.until')}
      value={from + years.value}
      least={from + 1}
      most={from + MOST.years}
      change={(year) => (years.value = year - from)}
    />
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
