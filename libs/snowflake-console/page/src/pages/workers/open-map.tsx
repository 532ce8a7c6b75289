import { signal } from '@preact/signals';
import type { RegistryWatch } from '../../../../src/api/console-api.js';
import { durationText } from '../../messages/durations.js';
import { numberText, t } from '../../messages/messages.js';
import {
  type Cell,
  CELL_STATES,
  CELLS_AT_ONCE,
  cellOf,
  cellsOf,
  type CellState,
  countsOf,
  USUAL_STATES,
} from '../../workers/cells.js';
import { goTo, mapFrom, selection } from '../workers-state.js';
import { WorkerDetails } from './worker-details.js';
import { WorkerGrid } from './worker-grid.js';
import { cellLabel } from './worker-words.js';

const pointed = signal<number | undefined>(undefined);
const emphasized = signal<CellState | undefined>(undefined);

export interface RegistryProps {
  readonly registry: RegistryWatch;
  readonly own: ReadonlySet<number>;
  /** The clock of the store. */
  readonly nowMs: number;
}

/** The map itself. */
export function OpenMap({ registry, own, nowMs }: RegistryProps) {
  const { first, total } = registry;
  const start = mapFrom.value >= first && mapFrom.value < first + total ? mapFrom.value : first;
  const cells = cellsOf(registry, own, start);
  const cellAt = (workerId: number | undefined): Cell | undefined =>
    workerId === undefined ? undefined : cellOf(registry, own, workerId);
  const selected = selection.value?.place === 'map' ? selection.value.workerId : undefined;
  const chosen = cellAt(selected);
  const lastListed = registry.workers.at(-1)?.workerId ?? -1;
  return (
    <>
      {total > CELLS_AT_ONCE && <Pager first={first} total={total} start={start} />}
      <Legend counts={countsOf(registry, own)} />
      <WorkerGrid
        cells={cells}
        selected={selected}
        emphasized={emphasized.value}
        onSelect={(workerId) => (selection.value = { workerId, place: 'map' })}
        onPoint={(workerId) => (pointed.value = workerId)}
      />
      <p class="note pointed" aria-hidden={pointed.value !== undefined}>
        <Pointed cell={cellAt(pointed.value)} nowMs={nowMs} />
      </p>
      {registry.omitted !== undefined && start + cells.length - 1 > lastListed && (
        <p class="problem">{t('grid.omitted', { count: registry.omitted })}</p>
      )}
      <p id="grid-keys" class="for-readers">
        {t('grid.keys')}
      </p>
      <p class="for-readers" role="status">
        {chosen && cellLabel(chosen)}
      </p>
      {chosen && <WorkerDetails cell={chosen} nowMs={nowMs} />}
    </>
  );
}

/** The worker ID under the pointer or the focus, in one line. */
function Pointed({ cell, nowMs }: { cell: Cell | undefined; nowMs: number }) {
  if (!cell) return <>{t('grid.hint')}</>;
  const { row } = cell;
  const times =
    row?.state === 'held'
      ? ` · ${t('worker.left')}: ${durationText(Math.max(0, row.reservedUntilMs - nowMs))}`
      : '';
  return (
    <>
      {cellLabel(cell)}
      {times}
    </>
  );
}

/** The legend of the colors, with counts. Each state can be highlighted. */
function Legend({ counts }: { counts: Record<CellState, number> }) {
  return (
    <ul class="legend" aria-label={t('grid.legend')}>
      {CELL_STATES.filter((state) => USUAL_STATES.has(state) || counts[state] > 0).map((state) => (
        <li key={state}>
          <button
            type="button"
            class="legend-item"
            aria-pressed={emphasized.value === state}
            onClick={() => (emphasized.value = emphasized.value === state ? undefined : state)}
          >
            <span class={`cell is-${state}`} aria-hidden="true" />
            <span>
              {t(`cell.${state}`)} <strong>{numberText(counts[state])}</strong>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Pager({ first, total, start }: { first: number; total: number; start: number }) {
  const last = first + total - 1;
  const end = Math.min(start + CELLS_AT_ONCE - 1, last);
  return (
    <div class="bar is-first">
      <label>
        {t('grid.goTo')}{' '}
        <input
          type="number"
          min={first}
          max={last}
          onChange={({ currentTarget: input }) => {
            if (input.value !== '' && input.reportValidity()) goTo(input.valueAsNumber, first);
          }}
        />
      </label>
      <button
        type="button"
        class="button is-small"
        disabled={start <= first}
        onClick={() => (mapFrom.value = Math.max(first, start - CELLS_AT_ONCE))}
      >
        {t('grid.previous')}
      </button>
      <span role="status">{t('grid.range', { from: String(start), to: String(end) })}</span>
      <button
        type="button"
        class="button is-small"
        disabled={end >= last}
        onClick={() => (mapFrom.value = start + CELLS_AT_ONCE)}
      >
        {t('grid.next')}
      </button>
    </div>
  );
}
