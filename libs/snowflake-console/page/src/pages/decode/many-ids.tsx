import type { BitLayout } from 'nestjs-snowflake/core';
import { csvOf, jsonOf } from '../../ids/exported.js';
import type { Arrangement } from '../../ids/arranged.js';
import { durationText } from '../../messages/durations.js';
import { t } from '../../messages/messages.js';
import { localTime } from '../../messages/times.js';
import { serviceOf } from '../../workers/services.js';
import { download } from '../../ui/download.js';
import { arrangement, decoded, holderOf, selected, showAll, shown } from './decode-state.js';
import { ReadingChart } from './reading-charts.js';
import { ReadingsTable } from './readings-table.js';

function change(part: Partial<Arrangement>): void {
  arrangement.value = { ...arrangement.value, ...part };
}

/** Many IDs: what they are in one sentence, when they were made, and a table to sort, filter and export. */
export function ManyIds({ layout }: { layout: BitLayout }) {
  return (
    <section class="panel many">
      <p class="sentence">{inOneSentence()}</p>
      <ReadingChart readings={shown.value} onRange={(fromMs, toMs) => change({ fromMs, toMs })} />
      <TableBar />
      {shown.value.length > 0 ? (
        <ReadingsTable
          readings={shown.value}
          layout={layout}
          arrangement={arrangement.value}
          selected={selected.value}
          holderOf={holderOf.value}
          onArrange={change}
          onSelect={(position) => (selected.value = position)}
        />
      ) : (
        <NothingPasses />
      )}
    </section>
  );
}

/** How long the time of the IDs is, and how many worker IDs and services made them. */
function inOneSentence(): string {
  const readings = shown.value;
  let [first, last] = [Infinity, -Infinity];
  const workers = new Set<number>();
  const services = new Set<string>();
  for (const reading of readings) {
    const { fields } = reading;
    if (!fields) continue;
    first = Math.min(first, fields.timestampMs);
    last = Math.max(last, fields.timestampMs);
    workers.add(fields.workerId);
    const holder = holderOf.value(reading);
    if (holder !== undefined) services.add(serviceOf(holder));
  }
  return [
    t('many.ids', { count: readings.length }),
    ...(last > first ? [durationText(last - first)] : []),
    t('many.workers', { count: workers.size }),
    ...(services.size > 0 ? [t('many.services', { count: services.size })] : []),
  ].join(' · ');
}

function NothingPasses() {
  return (
    <div class="bar">
      <p>{t('table.none')}</p>
      <button type="button" class="button is-small" onClick={showAll}>
        {t('table.showAll')}
      </button>
    </div>
  );
}

function TableBar() {
  const { filter, onlyWarnings, fromMs, toMs } = arrangement.value;
  const { readings } = decoded.value;
  const warned = readings.filter(({ warnings }) => warnings.length > 0).length;
  return (
    <div class="bar">
      <label class="search">
        <span class="for-readers">{t('table.filter')}</span>
        <input
          type="search"
          data-search
          value={filter}
          placeholder={t('table.filterHint')}
          onInput={(event) => change({ filter: event.currentTarget.value })}
        />
      </label>
      {(warned > 0 || onlyWarnings) && (
        <label class="check">
          <input
            type="checkbox"
            checked={onlyWarnings}
            onChange={(event) => change({ onlyWarnings: event.currentTarget.checked })}
          />{' '}
          {t('table.onlyWarnings', { count: warned })}
        </label>
      )}
      {fromMs !== undefined && toMs !== undefined && (
        <button
          type="button"
          class="button is-small"
          onClick={() => change({ fromMs: undefined, toMs: undefined })}
        >
          {t('grid.range', { from: localTime(fromMs), to: localTime(toMs) })}{' '}
          <span aria-hidden="true">×</span>
        </button>
      )}
      <p class="grow" role="status">
        {t('table.shown', { count: shown.value.length, of: readings.length })}
      </p>
      <ExportButtons />
    </div>
  );
}

function ExportButtons() {
  const exported = shown.value;
  return (
    <>
      <button
        type="button"
        class="button is-small"
        onClick={() => download('ids.csv', 'text/csv', csvOf(exported, holderOf.value))}
        aria-label={t('export.csv', { count: exported.length })}
      >
        CSV
      </button>
      <button
        type="button"
        class="button is-small"
        onClick={() => download('ids.json', 'application/json', jsonOf(exported, holderOf.value))}
        aria-label={t('export.json', { count: exported.length })}
      >
        JSON
      </button>
    </>
  );
}
