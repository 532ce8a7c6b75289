import { computed, signal } from '@preact/signals';
import { type LayoutSuggestion, suggestLayout } from 'nestjs-snowflake/core';
import { numberText, t } from '../messages/messages.js';
import { DEFAULT_FORM } from '../state/settings.js';
import { Slider } from '../ui/slider.js';
import { PresetTable } from './preset-table.js';
import { SuggestedLayout } from './suggested-layout.js';

const TICKS_MS = [1, 10, 100, 1000];

const years = signal(30);
const workers = signal(200);
const idsPerSecond = signal(50_000);
const tickMs = signal(1);
const epoch = signal(DEFAULT_FORM.epoch);

const outcome = computed<{ suggestion?: LayoutSuggestion; problem?: string }>(() => {
  try {
    const suggestion = suggestLayout({
      years: years.value,
      workers: workers.value,
      idsPerSecondPerWorker: idsPerSecond.value,
      tickMs: tickMs.value,
      epoch: epoch.value,
    });
    return { suggestion };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
});

/** Finds the widths for a lifetime, a number of processes and a rate. */
export function LayoutsPage() {
  const { suggestion, problem } = outcome.value;
  return (
    <>
      <section class="panel">
        <h2>{t('layouts.size')}</h2>
        <Slider label={t('layouts.years')} value={years} most={1000} />
        <Slider label={t('layouts.workers')} value={workers} most={1_000_000} />
        <Slider label={t('layouts.rate')} value={idsPerSecond} most={10_000_000} />
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
          <label>
            {t('layout.epoch')}
            <input
              value={epoch.value}
              spellcheck={false}
              onInput={(event) => (epoch.value = event.currentTarget.value.trim())}
            />
          </label>
        </div>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
      </section>
      {suggestion && <SuggestedLayout suggestion={suggestion} />}
      <PresetTable />
    </>
  );
}
