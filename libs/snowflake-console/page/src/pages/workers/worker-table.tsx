import { signal } from '@preact/signals';
import type { RegistryWatch, WorkerWatch } from '../../../../src/api/console-api.js';
import { t } from '../../messages/messages.js';
import { localTime, zone } from '../../messages/times.js';
import { MoreRows } from '../../ui/more-rows.js';
import { StateChip } from './state-chip.js';

const isOpen = signal(false);
const filter = signal('');
const rows = signal(100);
const ROWS_AT_ONCE = 100;

interface TableProps {
  readonly registry: RegistryWatch;
  readonly own: ReadonlySet<number>;
  readonly onSelect: (workerId: number) => void;
}

/** The same worker IDs as a table, with a search for holders. */
export function WorkerTable({ registry, own, onSelect }: TableProps) {
  return (
    <details
      class="panel"
      open={isOpen.value}
      onToggle={(event) => (isOpen.value = event.currentTarget.open)}
    >
      <summary>{t('workers.table', { count: registry.workers.length })}</summary>
      {isOpen.value && <OpenTable registry={registry} own={own} onSelect={onSelect} />}
    </details>
  );
}

function OpenTable({ registry, own, onSelect }: TableProps) {
  const wanted = filter.value.trim().toLowerCase();
  const found = registry.workers.filter(
    ({ workerId, holder }) => String(workerId) === wanted || (holder ?? '').toLowerCase().includes(wanted),
  );
  return (
    <>
      <div class="bar">
        <label>
          {t('workers.search')}{' '}
          <input
            type="search"
            value={filter.value}
            onInput={(event) => {
              filter.value = event.currentTarget.value;
              rows.value = ROWS_AT_ONCE;
            }}
          />
        </label>
        <p class="grow" role="status">
          {t('table.shown', { count: found.length, of: registry.workers.length })}
        </p>
      </div>
      <div class="scroller" tabIndex={0} role="region" aria-label={t('workers.tableLabel')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('workers.workerId')}</th>
              <th scope="col">{t('process.state')}</th>
              <th scope="col">{t('worker.holder')}</th>
              <th scope="col">{t('worker.reservedUntil', { zone })}</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, rows.value).map((row) => (
              <Row key={row.workerId} row={row} isOwn={own.has(row.workerId)} onSelect={onSelect} />
            ))}
          </tbody>
        </table>
        <MoreRows shown={rows.value} of={found.length} onMore={() => (rows.value += ROWS_AT_ONCE)} />
      </div>
      {found.length === 0 && (
        <p>{t(registry.workers.length === 0 ? 'workers.noneUsed' : 'workers.noneFound')}</p>
      )}
      {registry.omitted !== undefined && found.length <= rows.value && (
        <p class="problem">{t('grid.omitted', { count: registry.omitted })}</p>
      )}
    </>
  );
}

function Row({
  row: { workerId, state, holder, reservedUntilMs },
  isOwn,
  onSelect,
}: {
  row: WorkerWatch;
  isOwn: boolean;
  onSelect: (workerId: number) => void;
}) {
  return (
    <tr>
      <th scope="row">
        <button type="button" class="row-id mono" onClick={() => onSelect(workerId)}>
          {workerId}
        </button>
      </th>
      <td>
        <StateChip state={isOwn ? 'own' : state} />
      </td>
      <td class="mono is-long">{holder ?? '–'}</td>
      <td>{localTime(reservedUntilMs)}</td>
    </tr>
  );
}
