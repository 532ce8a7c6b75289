import { useEffect } from 'preact/hooks';
import { signal } from '@preact/signals';
import { t } from '../../messages/messages.js';
import { loadedLater } from '../../ui/loaded-later.js';
import { goTo, isLinked, selection } from '../workers-state.js';
import type { RegistryProps } from './open-map.js';

const OpenMap = loadedLater(async () => (await import('./open-map.js')).OpenMap);

/** What the viewer chose; undefined until then. */
const isOpen = signal<boolean | undefined>(undefined);
/** While less of the worker IDs is used, the map is mostly empty. */
const TELLING = 0.25;

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
