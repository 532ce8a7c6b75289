import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RegistryWatch } from '../../../../src/api/console-api.js';
import { numberText, t } from '../../messages/messages.js';
import { durationText } from '../../messages/durations.js';
import {
  type Cell,
  CELL_STATES,
  CELLS_AT_ONCE,
  cellsOf,
  type CellState,
  countsOf,
} from '../../workers/cells.js';
import { isLinked, selection } from '../workers-state.js';
import { WorkerDetails } from './worker-details.js';
import { WorkerGrid } from './worker-grid.js';
import { cellLabel } from './worker-words.js';

const pointed = signal<number | undefined>(undefined);
const emphasized = signal<CellState | undefined>(undefined);
const from = signal(0);
/** What the viewer chose; undefined until then. */
const isOpen = signal<boolean | undefined>(undefined);
/** While less of the worker IDs is used, the map is mostly empty. */
const TELLING = 0.25;

interface RegistryProps {
  readonly registry: RegistryWatch;
  readonly own: ReadonlySet<number>;
  /** The clock of the store. */
  readonly nowMs: number;
}

/** Every worker ID of the namespace as a cell, and the details of one. Folded while little is used. */
export function WorkerMap({ registry, own, nowMs }: RegistryProps) {
  const { first, total, workers } = registry;
  const chosenId = selection.value?.workerId;
  // A worker ID without a row can only be shown here.
  const isOnlyHere = chosenId !== undefined && !workers.some(({ workerId }) => workerId === chosenId);
  useEffect(() => {
    if (!isOnlyHere || !isLinked.value) return;
    isLinked.value = false;
    goTo(chosenId, first);
  }, [isOnlyHere]);
  const isShown = isOpen.value ?? (isOnlyHere || workers.length >= total * TELLING);
  return (
    <details
      class="panel map"
      open={isShown}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== isShown) isOpen.value = currentTarget.open;
      }}
    >
      <summary>
        <h2 id="grid-title">{t('grid.title', { count: total })}</h2>
      </summary>
      {isShown && <OpenMap registry={registry} own={own} nowMs={nowMs} />}
    </details>
  );
}

function OpenMap({ registry, own, nowMs }: RegistryProps) {
  const { first, total } = registry;
  const start = from.value >= first && from.value < first + total ? from.value : first;
  const cells = cellsOf(registry, own, start);
  const cellOf = (workerId: number | undefined): Cell | undefined =>
    workerId === undefined ? undefined : cellsOf(registry, own, workerId)[0];
  const selected = selection.value?.place === 'map' ? selection.value.workerId : undefined;
  const chosen = cellOf(selected);
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
        <Pointed cell={cellOf(pointed.value)} nowMs={nowMs} />
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

/** Selects a worker ID, and shows the part of the grid with it. */
function goTo(workerId: number, first: number): void {
  selection.value = { workerId, place: 'map' };
  from.value = first + Math.floor((workerId - first) / CELLS_AT_ONCE) * CELLS_AT_ONCE;
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
      {CELL_STATES.filter((state) => state !== 'unreadable' || counts[state] > 0).map((state) => (
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
        onClick={() => (from.value = Math.max(first, start - CELLS_AT_ONCE))}
      >
        {t('grid.previous')}
      </button>
      <span role="status">{t('grid.range', { from: String(start), to: String(end) })}</span>
      <button
        type="button"
        class="button is-small"
        disabled={end >= last}
        onClick={() => (from.value = start + CELLS_AT_ONCE)}
      >
        {t('grid.next')}
      </button>
    </div>
  );
}
