import { csvOf, jsonOf } from '../../ids/exported.js';
import type { Arrangement } from '../../ids/arranged.js';
import type { Reading } from '../../ids/reading.js';
import { t } from '../../messages/messages.js';
import { download } from '../../ui/download.js';
import { arrangement, current, decoded, selected, showAll, shown } from './decode-state.js';
import { focusDetails } from './id-details.js';
import { ReadingCharts } from './reading-charts.js';
import { ReadingsTable } from './readings-table.js';

function change(part: Partial<Arrangement>): void {
  arrangement.value = { ...arrangement.value, ...part };
}

/** Many IDs: charts of their times and worker IDs, and a table to sort, filter and export. */
export function ManyIds() {
  return (
    <>
      <ReadingCharts
        readings={shown.value}
        onWorker={(workerId) => change({ filter: `worker:${workerId}` })}
      />
      <section class="panel">
        <TableBar />
        {shown.value.length > 0 ? (
          <ReadingsTable
            readings={shown.value}
            arrangement={arrangement.value}
            selected={current.value?.position}
            onArrange={change}
            onSelect={(position) => {
              selected.value = position;
              focusDetails();
            }}
          />
        ) : (
          <NothingPasses />
        )}
      </section>
    </>
  );
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
  const { filter, onlyWarnings } = arrangement.value;
  const { readings } = decoded.value;
  const warned = readings.filter(({ warnings }) => warnings.length > 0).length;
  return (
    <div class="bar is-first">
      <label>
        {t('table.filter')}{' '}
        <input
          type="search"
          value={filter}
          placeholder="worker:17"
          onInput={(event) => change({ filter: event.currentTarget.value })}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={onlyWarnings}
          onChange={(event) => change({ onlyWarnings: event.currentTarget.checked })}
        />{' '}
        {t('table.onlyWarnings', { count: warned })}
      </label>
      <p class="grow" role="status">
        {t('table.shown', { count: shown.value.length, of: readings.length })}
      </p>
      <ExportButtons readings={shown.value} />
    </div>
  );
}

function ExportButtons({ readings: exported }: { readings: readonly Reading[] }) {
  return (
    <>
      <button
        type="button"
        class="button is-small"
        onClick={() => download('ids.csv', 'text/csv', csvOf(exported))}
        aria-label={t('export.csv', { count: exported.length })}
      >
        CSV
      </button>
      <button
        type="button"
        class="button is-small"
        onClick={() => download('ids.json', 'application/json', jsonOf(exported))}
        aria-label={t('export.json', { count: exported.length })}
      >
        JSON
      </button>
    </>
  );
}
