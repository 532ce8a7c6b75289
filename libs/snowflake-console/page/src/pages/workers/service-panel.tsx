import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RegistryWatch, WorkerWatch } from '../../../../src/api/console-api.js';
import { durationText } from '../../messages/durations.js';
import { numberText, t } from '../../messages/messages.js';
import { relativeTime, wallTimeText, zone } from '../../messages/times.js';
import { MoreRows } from '../../ui/more-rows.js';
import { cellOf } from '../../workers/cells.js';
import { type Service, serviceOf, servicesOf } from '../../workers/services.js';
import { NOTABLE_MS } from '../../workers/problems.js';
import { isLinked, search, selection } from '../workers-state.js';
import { ClockDifference } from './clock-difference.js';
import { StateChip } from './state-chip.js';
import { WorkerFacts } from './worker-details.js';

interface PanelProps {
  readonly registry: RegistryWatch;
  readonly own: ReadonlySet<number>;
  /** The clock of the store. */
  readonly nowMs: number;
}

/** The states of worker IDs without a holder, which are listed by these. No name of a service begins with a space. */
const WITHOUT_HOLDER = { ' released': 'cell.released', ' reserved': 'cell.reserved' } as const;
const isWithoutHolder = (name: string): name is keyof typeof WITHOUT_HOLDER => name in WITHOUT_HOLDER;
const ROWS_AT_ONCE = 100;
const opened = signal<ReadonlySet<string>>(new Set());

function toggle(name: string): void {
  const names = new Set(opened.value);
  if (!names.delete(name)) names.add(name);
  opened.value = names;
}

/** The used worker IDs by service. A service unfolds into its processes, and a process into all that is stored about it. */
export function ServicePanel({ registry, own, nowMs }: PanelProps) {
  const wanted = search.value.trim().toLowerCase();
  const found = registry.workers.filter((row) => matches(row, wanted));
  const services = groupsOf(registry, found);
  const isOpen = ({ name, rows }: Service): boolean =>
    wanted !== '' ||
    services.length === 1 ||
    opened.value.has(name) ||
    (selection.value?.place === 'table' &&
      rows.some(({ workerId }) => workerId === selection.value?.workerId));
  return (
    <section class="panel services" aria-labelledby="services-title">
      <div class="bar is-first">
        <h2 id="services-title">{t('services.title')}</h2>
        <Search />
        <p class="grow" role="status">
          {t('table.shown', { count: found.length, of: registry.workers.length })}
        </p>
      </div>
      {found.length > 0 ? (
        <div class="scroller" tabIndex={0} role="region" aria-label={t('workers.tableLabel')}>
          <table>
            <Headings />
            {services.map((service) => (
              <ServiceRows
                key={service.name}
                service={service}
                isOpen={isOpen(service)}
                {...{ registry, own, nowMs }}
              />
            ))}
          </table>
        </div>
      ) : (
        <p>{t(registry.workers.length === 0 ? 'workers.noneUsed' : 'workers.noneFound')}</p>
      )}
      {registry.omitted !== undefined && (
        <p class="problem">{t('grid.omitted', { count: registry.omitted })}</p>
      )}
    </section>
  );
}

function Search() {
  return (
    <label class="search">
      <span class="for-readers">{t('workers.search')}</span>
      <input
        type="search"
        data-search
        value={search.value}
        placeholder={t('workers.search')}
        onInput={(event) => (search.value = event.currentTarget.value)}
      />
    </label>
  );
}

function Headings() {
  return (
    <thead>
      <tr>
        <th scope="col">{t('services.process')}</th>
        <th scope="col" class="number">
          {t('workers.workerId')}
        </th>
        <th scope="col">{t('process.state')}</th>
        <th scope="col" class="is-extra">
          {t('worker.windowFrom', { zone })}
        </th>
        <th scope="col" class="is-extra">
          {t('worker.left')}
        </th>
      </tr>
    </thead>
  );
}

function matches({ workerId, holder = '', state }: WorkerWatch, wanted: string): boolean {
  return (
    String(workerId) === wanted ||
    holder.toLowerCase().includes(wanted) ||
    t(`cell.${state}`).toLowerCase().includes(wanted)
  );
}

function groupsOf(registry: RegistryWatch, found: readonly WorkerWatch[]): readonly Service[] {
  const others = Object.keys(WITHOUT_HOLDER).map((name) => ({
    name,
    rows: found.filter(({ holder, state }) => holder === undefined && name === ` ${state}`),
    held: 0,
    offline: 0,
    replaced: 0,
  }));
  return [...servicesOf(registry, found), ...others.filter(({ rows }) => rows.length > 0)];
}

function nameOf({ name }: Service): string {
  if (isWithoutHolder(name)) return t(WITHOUT_HOLDER[name]);
  return name === '' ? t('services.nameless') : name;
}

function ServiceRows({ service, isOpen, ...rest }: PanelProps & { service: Service; isOpen: boolean }) {
  const { name, rows, held, offline, replaced } = service;
  const [shown, setShown] = useState(ROWS_AT_ONCE);
  const newest = Math.max(
    ...rows.map(({ windowFromMs = Number.NaN }) => windowFromMs).filter(Number.isFinite),
  );
  const states = [
    ...(held > 0 ? [t('capacity.held', { count: held })] : []),
    ...(offline > 0 ? [t('capacity.offline', { count: offline })] : []),
    ...(replaced > 0 ? [t('capacity.replaced', { count: replaced })] : []),
  ].join(' · ');
  return (
    <tbody>
      <tr class="service">
        <th scope="rowgroup">
          <button type="button" class="unfold" aria-expanded={isOpen} onClick={() => toggle(name)}>
            <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> {nameOf(service)}{' '}
            <span class="muted">{numberText(rows.length - replaced)}</span>
          </button>
        </th>
        <td />
        <td>{states}</td>
        <td class="is-extra">
          {Number.isFinite(newest) && t('services.newest', { time: relativeTime(newest, rest.nowMs) })}
        </td>
        <td class="is-extra" />
      </tr>
      {isOpen && rows.slice(0, shown).map((row) => <ProcessRow key={row.workerId} row={row} {...rest} />)}
      {isOpen && rows.length > shown && (
        <tr>
          <td colSpan={5}>
            <MoreRows shown={shown} of={rows.length} onMore={() => setShown(shown + ROWS_AT_ONCE)} />
          </td>
        </tr>
      )}
    </tbody>
  );
}

function ProcessRow({ row, registry, own, nowMs }: PanelProps & { row: WorkerWatch }) {
  const { workerId, holder, windowFromMs, clockCorrectionMs = 0 } = row;
  const isChosen = selection.value?.place === 'table' && selection.value.workerId === workerId;
  const self = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (!isChosen || !isLinked.value) return;
    isLinked.value = false;
    self.current?.scrollIntoView({ block: 'center' });
  }, [isChosen]);
  const cell = cellOf(registry, own, workerId);
  return (
    <>
      <tr ref={self} class={isChosen ? 'process is-selected' : 'process'}>
        <th scope="row" class="mono is-long">
          <HolderName holder={holder} />
        </th>
        <td class="number">
          <button
            type="button"
            class="row-id mono"
            aria-expanded={isChosen}
            aria-label={t('worker.title', { id: String(workerId) })}
            onClick={() => (selection.value = isChosen ? undefined : { workerId, place: 'table' })}
          >
            {workerId}
          </button>
        </td>
        <td>
          <StateChip state={cell.state} />{' '}
          {Math.abs(clockCorrectionMs) >= NOTABLE_MS && <ClockDifference aheadMs={-clockCorrectionMs} />}
        </td>
        <td class="is-extra">{windowFromMs === undefined ? '–' : wallTimeText(windowFromMs)}</td>
        <td class="is-extra">{leftText(row, nowMs)}</td>
      </tr>
      {isChosen && (
        <tr class="unfolded">
          <td colSpan={5}>
            <WorkerFacts cell={cell} nowMs={nowMs} />
          </td>
        </tr>
      )}
    </>
  );
}

/** The name of a process. A phone leaves out the service, which the row above names. */
function HolderName({ holder }: { holder: string | undefined }) {
  if (holder === undefined) return <>–</>;
  const service = serviceOf(holder);
  const rest = holder.slice(service.length);
  return rest.startsWith('-') ? (
    <>
      <span class="is-extra">{service}-</span>
      {rest.slice(1)}
    </>
  ) : (
    <>{holder}</>
  );
}

/** What is left of the window, or since when it has passed. */
function leftText({ state, reservedUntilMs }: WorkerWatch, nowMs: number): string {
  if (state === 'reserved') return '–';
  if (reservedUntilMs >= Number.MAX_SAFE_INTEGER) return t('process.noEnd');
  if (state === 'held' && reservedUntilMs > nowMs) return durationText(reservedUntilMs - nowMs);
  return t('services.ended', { time: relativeTime(reservedUntilMs, nowMs) });
}
