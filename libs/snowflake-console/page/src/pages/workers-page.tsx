import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { appFacts } from '../live/app-facts.js';
import {
  connection,
  lastWatch,
  makerNames,
  nowMs,
  showMaker,
  shown,
  shownMaker,
  storeNowMs,
  watch,
  watchedSinceMs,
} from '../live/watching.js';
import type { Connection } from '../live/watch-stream.js';
import type { MessageKey } from '../messages/languages.js';
import { t } from '../messages/messages.js';
import { localTime } from '../messages/times.js';
import { type Tab, Tabs } from '../ui/tabs.js';
import { ownWorkerIds } from '../workers/cells.js';
import { ClockPanel } from './workers/clock-panel.js';
import { IncidentPanel } from './workers/incident-panel.js';
import { ProcessPanel } from './workers/process-panel.js';
import { RegistryPanel } from './workers/registry-panel.js';
import { SegmentTable } from './workers/segment-table.js';
import { SeriesTable } from './workers/series-table.js';

type TabName = 'workers' | 'segments' | 'series';

const TITLES: Record<TabName, MessageKey> = {
  workers: 'tab.workers',
  segments: 'tab.segments',
  series: 'tab.series',
};
const chosenTab = signal<TabName>('workers');

const tabs = computed<readonly Tab<TabName>[]>(() => {
  const { segments, series } = appFacts.value ?? {};
  const names: readonly TabName[] = [
    'workers',
    ...(segments ? (['segments'] as const) : []),
    ...(series ? (['series'] as const) : []),
  ];
  return names.map((name) => ({ name, title: t(TITLES[name]) }));
});

/** The current state of the app and of the processes that share its namespace. */
export function WorkersPage() {
  if (appFacts.value === undefined) return <p role="status">{t('live.looking')}</p>;
  if (appFacts.value === null) return <p class="panel hint">{t('live.none')}</p>;
  return <Live />;
}

function Live() {
  useEffect(watch, []);
  return (
    <>
      <ConnectionBar />
      <Tabs
        tabs={tabs.value}
        shown={chosenTab.value}
        label={t('page.workers')}
        onShow={(name) => (chosenTab.value = name)}
      >
        {chosenTab.value === 'workers' && <Workers />}
        {chosenTab.value === 'segments' && (
          <SegmentTable
            segments={lastWatch.value?.event.segments ?? []}
            omitted={lastWatch.value?.event.omittedSegments}
          />
        )}
        {chosenTab.value === 'series' && <SeriesTable />}
      </Tabs>
    </>
  );
}

/** Shows whether the values are current, and chooses the ID maker. */
function ConnectionBar() {
  return (
    <div class="bar connection">
      <p class={`grow connection-${isCurrent(connection.value) ? connection.value : 'lost'}`} role="status">
        <span class="dot" aria-hidden="true" /> {connectionText()}
      </p>
      {chosenTab.value === 'workers' && makerNames.value.length > 1 && (
        <label>
          {t('workers.maker')}{' '}
          <select value={shownMaker.value} onChange={(event) => showMaker(event.currentTarget.value)}>
            {makerNames.value.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}

function isCurrent(state: Connection): state is 'connecting' | 'open' | 'paused' {
  return state === 'connecting' || state === 'open' || state === 'paused';
}

function connectionText(): string {
  const [state, atMs] = [connection.value, lastWatch.value?.atMs];
  if (isCurrent(state)) return t(`connection.${state}`);
  const old = atMs === undefined ? '' : t('connection.lostSince', { time: localTime(atMs) });
  if (state === 'lost') return old || t('connection.lost');
  return `${old} ${t(`connection.${state}`)}`.trim();
}

function Workers() {
  const [seen, watched] = [shown.value, lastWatch.value];
  if (!seen || !watched) return null;
  const { registry, watch: maker } = seen;
  const makers = appFacts.value?.makers ?? [];
  return (
    <>
      {maker.registryErrorCode && (
        <p class="problem is-alone" role="alert">
          {t(registry ? 'workers.unreadOld' : 'workers.unread', { code: maker.registryErrorCode })}
        </p>
      )}
      {registry?.unreadable && (
        <p class="problem is-alone" role="alert">
          {t('workers.unreadable', { fields: listed(registry.unreadable) })}
        </p>
      )}
      {registry && (
        <RegistryPanel
          registry={registry}
          own={ownWorkerIds(watched.event, makers, maker.name)}
          nowMs={storeNowMs.value ?? registry.storeNowMs}
        />
      )}
      <ProcessPanel
        seen={seen}
        facts={makers.find(({ name }) => name === maker.name)}
        hostNowMs={maker.hostNowMs + (nowMs.value - watched.atMs)}
      />
      <IncidentPanel seen={seen} sinceMs={watchedSinceMs.value ?? watched.atMs} />
      <ClockPanel seen={seen} browserMs={watched.atMs} storeNowMs={storeNowMs.value} />
    </>
  );
}

const MOST_NAMED = 8;

function listed(names: readonly string[]): string {
  return [...names.slice(0, MOST_NAMED), ...(names.length > MOST_NAMED ? ['…'] : [])].join(', ');
}
