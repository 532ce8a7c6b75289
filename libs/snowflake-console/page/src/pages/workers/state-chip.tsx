import { t } from '../../messages/messages.js';
import type { CellState } from '../../workers/cells.js';

/** The color and the name of a state. */
export function StateChip({ state }: { state: CellState }) {
  return (
    <span class="chip">
      <span class={`cell is-${state}`} aria-hidden="true" /> {t(`cell.${state}`)}
    </span>
  );
}
