import { t } from '../../messages/messages.js';
import type { Cell } from '../../workers/cells.js';

/** Names a worker ID and its state in one line, without times, so that it changes with the state only. */
export function cellLabel({ workerId, state, row }: Cell): string {
  const words = t(`cell.${state}`);
  const holder = row?.holder;
  return holder === undefined
    ? t('cell.label', { id: String(workerId), state: words })
    : t('cell.labelHolder', { id: String(workerId), state: words, holder });
}
