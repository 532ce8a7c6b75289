import { computed, signal } from '@preact/signals';
import { BitLayout, type LayoutSuggestion, suggestLayout } from 'nestjs-snowflake/core';
import { factsOf } from '../layouts/layout-facts.js';
import { numberText, t } from '../messages/messages.js';
import { dateText } from '../messages/times.js';
import { DEFAULT_FORM, layoutForm } from '../state/settings.js';
import { route } from '../state/route.js';
import { CopyButton } from '../ui/copy-button.js';
import { Slider } from '../ui/slider.js';
import { WidthBar } from '../ui/width-bar.js';
import { PresetTable } from './preset-table.js';

const SIZED = ['timestamp', 'worker', 'sequence'] as const;
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
      {suggestion && <Suggested suggestion={suggestion} />}
      <PresetTable />
    </>
  );
}

function Suggested({ suggestion }: { suggestion: LayoutSuggestion }) {
  const facts = factsOf(new BitLayout(suggestion.layout, suggestion.epoch));
  const widths = Object.entries(suggestion.layout).map(([name, width]) => `${name}: ${width}`);
  const options = `epoch: '${suggestion.epoch}',\nlayout: { ${widths.join(', ')} },`;
  const use = (): void => {
    layoutForm.value = {
      choice: 'custom',
      options: { ...suggestion.layout, datacenterBits: 0 },
      epoch: suggestion.epoch,
    };
    location.hash = `#/decode`;
  };
  return (
    <section class="panel" aria-label={t('layouts.suggestion')}>
      <WidthBar widths={facts.widths} />
      <ul class="explanation">
        <li>
          {t('layouts.lasts', {
            years: numberText(Math.floor(suggestion.lifetimeYears)),
            date: dateText(facts.expiresMs),
          })}
        </li>
        <li>{t('layouts.workerIds', { count: suggestion.workerIds })}</li>
        <li>{t('layouts.idsPerSecond', { count: suggestion.idsPerSecondPerWorker })}</li>
        <li>
          {t('layouts.spare', { count: suggestion.spareBits })}
          <ul>
            {SIZED.map((field) => (
              <li key={field}>
                {t('layouts.needed', {
                  field: t(`field.${field}`),
                  needed: suggestion.neededBits[field],
                  spare: suggestion.spareBitsOf[field],
                })}
              </li>
            ))}
          </ul>
        </li>
        {facts.roundsFromMs === undefined && <li>{t('layouts.safe')}</li>}
      </ul>
      {facts.roundsFromMs !== undefined && (
        <p class="problem">{t('layouts.rounds', { date: dateText(facts.roundsFromMs) })}</p>
      )}
      <div class="bar">
        <h3 class="grow">{t('layouts.options')}</h3>
        <CopyButton text={() => options} />
        <button type="button" class="button is-small" onClick={use} disabled={route.value.page !== 'layouts'}>
          {t('layouts.use')}
        </button>
      </div>
      <pre class="mono output" tabIndex={0} aria-label={t('layouts.options')}>
        {options}
      </pre>
    </section>
  );
}
