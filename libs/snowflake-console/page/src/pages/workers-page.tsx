import { computed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { appFacts, appProblem } from '../live/app-facts.js';
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
import { loadedLater } from '../ui/loaded-later.js';
import { type Tab, Tabs } from '../ui/tabs.js';
import { ownWorkerIds } from '../workers/cells.js';
import { problemsOf } from '../workers/problems.js';
import { chosenTab, type TabName } from './workers-state.js';
import { CapacityPanel } from './workers/capacity-panel.js';
import { ClockPanel } from './workers/clock-panel.js';
import { IncidentPanel } from './workers/incident-panel.js';
import { ProblemList } from './workers/problem-list.js';
import { ProcessPanel } from './workers/process-panel.js';
import { ServicePanel } from './workers/service-panel.js';
import { WorkerMap } from './workers/worker-map.js';

const TITLES: Record<TabName, MessageKey> = {
  workers: 'tab.workers',
  segments: 'tab.segments',
  series: 'tab.series',
};

/** Few apps have these. */
const SegmentTable = loadedLater(async () => (await import('./workers/segment-table.js')).SegmentTable);
const SeriesTable = loadedLater(async () => (await import('./workers/series-table.js')).SeriesTable);

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
  if (appProblem.value) {
    const words = t(appProblem.value === 'failed' ? 'connection.lost' : 'live.signedOut');
    return <p class="panel problem is-alone">{words}</p>;
  }
  if (appFacts.value === undefined) return <p role="status">{t('live.looking')}</p>;
  if (appFacts.value === null) return <p class="panel hint">{t('live.none')}</p>;
  return <Live />;
}

function Live() {
  useEffect(watch, []);
  const tab = tabs.value.some(({ name }) => name === chosenTab.value) ? chosenTab.value : 'workers';
  return (
    <>
      <ConnectionBar />
      <Tabs
        tabs={tabs.value}
        shown={tab}
        label={t('page.workers')}
        onShow={(name) => (chosenTab.value = name)}
      >
        {tab === 'workers' && <Workers />}
        {tab === 'segments' && <SegmentTable />}
        {tab === 'series' && <SeriesTable />}
      </Tabs>
    </>
  );
}

/** Shows whether the values are current and whether the store can be read, and chooses the ID maker. */
function ConnectionBar() {
  const isReadable = shown.value?.watch.registryErrorCode === undefined;
  const isLive = isCurrent(connection.value);
  const state = isLive ? connection.value : 'lost';
  return (
    <div class="bar connection">
      <p class={`connection-${state === 'open' && !isReadable ? 'connected' : state}`} role="status">
        <span class="dot" aria-hidden="true" />{' '}
        {state === 'open' && !isReadable ? t('connection.connected') : connectionText()}
      </p>
      {shown.value && isLive && (
        <p class={isReadable ? 'connection-open' : 'connection-lost'} role="status">
          <span class="dot" aria-hidden="true" /> {t(isReadable ? 'store.readable' : 'store.unreadable')}
        </p>
      )}
      {chosenTab.value === 'workers' && makerNames.value.length > 1 && (
        <label class="maker">
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
  const facts = makers.find(({ name }) => name === maker.name);
  const own = ownWorkerIds(watched.event, makers, maker.name);
  const storeMs = storeNowMs.value ?? registry?.storeNowMs ?? maker.hostNowMs;
  return (
    <>
      {registry && <CapacityPanel registry={registry} />}
      <ProblemList problems={problemsOf(seen, storeNowMs.value, facts)} />
      {registry && <ServicePanel registry={registry} own={own} nowMs={storeMs} />}
      <ProcessPanel seen={seen} facts={facts} hostNowMs={maker.hostNowMs + (nowMs.value - watched.atMs)} />
      {registry && <WorkerMap registry={registry} own={own} nowMs={storeMs} />}
      {registry && <IncidentPanel seen={seen} sinceMs={watchedSinceMs.value ?? watched.atMs} />}
      {registry && <ClockPanel seen={seen} registry={registry} browserMs={watched.atMs} />}
    </>
  );
}
