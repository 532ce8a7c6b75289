import { computed, signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import { t } from '../../messages/messages.js';
import { type Cell, type CellState, nextIndex } from '../../workers/cells.js';
import { cellLabel } from './worker-words.js';

const wide = matchMedia('(min-width: 48rem)');
const isWide = signal(wide.matches);
wide.addEventListener('change', () => (isWide.value = wide.matches));
/** On a phone, a cell must be as wide as a finger can hit. */
const mostColumns = computed(() => (isWide.value ? 64 : 16));

interface GridProps {
  readonly cells: readonly Cell[];
  readonly selected: number | undefined;
  /** Dims the cells of all other states. */
  readonly emphasized: CellState | undefined;
  readonly onSelect: (workerId: number) => void;
  readonly onPoint: (workerId: number | undefined) => void;
}

/** All worker IDs, one cell each. One of them is in the tab order; arrow keys move, Enter shows the details. */
export function WorkerGrid({ cells, selected, emphasized, onSelect, onPoint }: GridProps) {
  const grid = useRef<HTMLDivElement>(null);
  const first = cells[0]?.workerId ?? 0;
  const columns = Math.min(mostColumns.value, cells.length <= 256 ? 32 : 64);
  const [focused, setFocused] = useState(selected ?? first);
  const current = focused >= first && focused < first + cells.length ? focused : first;
  const focus = (workerId: number): void => {
    setFocused(workerId);
    grid.current?.querySelector<HTMLElement>(`[data-worker="${workerId}"]`)?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    const at = workerIdAt(event.target);
    if (at === undefined) return;
    const isWhole = event.ctrlKey || event.metaKey;
    const next = nextIndex(event.key, at - first, cells.length, columns, isWhole);
    if (event.key === 'Enter' || event.key === ' ') onSelect(at);
    else if (next !== undefined) focus(first + next);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={grid}
      class={`worker-grid columns-${columns} ${emphasized ? `shows-${emphasized}` : ''}`}
      role="grid"
      aria-label={t('grid.label')}
      aria-describedby="grid-keys"
      onKeyDown={press}
      onClick={({ target }) => {
        const at = workerIdAt(target);
        if (at === undefined) return;
        focus(at);
        onSelect(at);
      }}
      onMouseOver={({ target }) => onPoint(workerIdAt(target))}
      onMouseLeave={() => onPoint(undefined)}
      onFocusIn={({ target }) => onPoint(workerIdAt(target))}
      onFocusOut={() => onPoint(undefined)}
    >
      {Array.from({ length: Math.ceil(cells.length / columns) }, (_, row) => (
        <Row
          key={row}
          cells={cells.slice(row * columns, (row + 1) * columns)}
          selected={selected}
          current={current}
        />
      ))}
    </div>
  );
}

function Row({
  cells,
  selected,
  current,
}: Pick<GridProps, 'cells' | 'selected'> & {
  /** The cell in the tab order. */
  current: number;
}) {
  return (
    <div role="row" class="worker-row">
      <span role="rowheader" class="worker-row-start">
        {String(cells[0]?.workerId)}
      </span>
      {cells.map((cell) => (
        <span
          key={cell.workerId}
          role="gridcell"
          class={`cell is-${cell.state}`}
          data-worker={cell.workerId}
          tabIndex={cell.workerId === current ? 0 : -1}
          aria-selected={cell.workerId === selected}
          aria-label={cellLabel(cell)}
        />
      ))}
    </div>
  );
}

function workerIdAt(target: EventTarget | null): number | undefined {
  const id = target instanceof HTMLElement ? target.dataset['worker'] : undefined;
  return id === undefined ? undefined : Number(id);
}
