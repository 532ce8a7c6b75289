import type { BitLayout } from 'nestjs-snowflake/core';
import { useEffect, useState } from 'preact/hooks';
import { type Arrangement, AS_PASTED, type Column } from '../../ids/arranged.js';
import type { Reading } from '../../ids/reading.js';
import { findMaker } from '../../live/makers-of-ids.js';
import { durationText } from '../../messages/durations.js';
import type { MessageKey } from '../../messages/languages.js';
import { numberText, t } from '../../messages/messages.js';
import { utcTime, wallTimeText, zone } from '../../messages/times.js';
import { CopyIcon } from '../../ui/copy-icon.js';
import { MoreRows } from '../../ui/more-rows.js';
import { IdDetails } from './id-details.js';

/** The number of rows that a browser lays out without a noticeable pause. */
const ROWS_AT_ONCE = 100;

const TITLES: Readonly<Record<Column, MessageKey>> = {
  position: 'table.line',
  key: 'table.key',
  id: 'table.id',
  time: 'table.time',
  datacenter: 'field.datacenter',
  worker: 'field.worker',
  holder: 'worker.holder',
  sequence: 'field.sequence',
};
/** On a phone, only the details show these. */
const HIDDEN_ON_PHONES: readonly Column[] = ['position', 'key', 'datacenter', 'sequence', 'holder'];

const AS_PASTED_ORDER = { column: AS_PASTED.column, isDescending: AS_PASTED.isDescending };

interface TableProps {
  readonly readings: readonly Reading[];
  readonly layout: BitLayout;
  readonly arrangement: Arrangement;
  /** The ID whose details are unfolded. */
  readonly selected: number | undefined;
  readonly holderOf: (reading: Reading) => string | undefined;
  readonly onArrange: (part: Partial<Arrangement>) => void;
  readonly onSelect: (position: number | undefined) => void;
}

/** All IDs, with a button on each that unfolds its details. */
export function ReadingsTable(props: TableProps) {
  const { readings, arrangement } = props;
  const [rows, setRows] = useState(ROWS_AT_ONCE);
  useEffect(() => setRows(ROWS_AT_ONCE), [readings]);
  const columns = columnsFor(readings);
  const isWarned = readings.some(({ warnings }) => warnings.length > 0);
  const { column: sorted, isDescending } = arrangement;
  // The time since the row above says something only in the order of time.
  const isInTime = sorted === 'time' || sorted === 'position';
  return (
    <div class="scroller" tabIndex={0} role="region" aria-label={t('table.label')}>
      <table class="readings">
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading
                key={column}
                column={column}
                order={sorted === column ? (isDescending ? 'descending' : 'ascending') : 'none'}
                onSort={() => props.onArrange(nextOrder(column, arrangement))}
              />
            ))}
            {isWarned && <th scope="col">{t('table.warnings')}</th>}
          </tr>
        </thead>
        <tbody>
          {readings.slice(0, rows).map((reading, index) => (
            <Row
              key={reading.position}
              reading={reading}
              before={isInTime ? readings[index - 1] : undefined}
              columns={columns}
              isWarned={isWarned}
              {...props}
            />
          ))}
        </tbody>
      </table>
      <MoreRows shown={rows} of={readings.length} onMore={() => setRows(rows + ROWS_AT_ONCE)} />
    </div>
  );
}

/** Leaves out what no ID has. The sequence is least asked for, so it gives way to the holder. */
function columnsFor(readings: readonly Reading[]): readonly Column[] {
  const has = (part: (reading: Reading) => unknown): boolean =>
    readings.some((reading) => part(reading) !== undefined);
  const isAttributed = findMaker.value !== undefined;
  return [
    'position',
    ...(has(({ key }) => key) ? (['key'] as const) : []),
    'id',
    'time',
    ...(has(({ fields }) => fields?.datacenterId || undefined) ? (['datacenter'] as const) : []),
    'worker',
    isAttributed ? 'holder' : 'sequence',
  ];
}

function classOf(column: Column): string {
  return HIDDEN_ON_PHONES.includes(column) ? 'is-extra' : '';
}

function Heading({
  column,
  order,
  onSort,
}: {
  column: Column;
  order: 'none' | 'ascending' | 'descending';
  onSort: () => void;
}) {
  const words = column === 'time' ? `${t(TITLES[column])} (${zone})` : t(TITLES[column]);
  return (
    <th scope="col" aria-sort={column === 'position' ? undefined : order} class={classOf(column)}>
      <button type="button" class="sort" onClick={onSort}>
        {words}
        <span aria-hidden="true">
          {order === 'none' || column === 'position' ? '' : order === 'descending' ? ' ▼' : ' ▲'}
        </span>
      </button>
    </th>
  );
}

/** Ascending, then descending, then as pasted. */
function nextOrder(
  column: Column,
  { column: sorted, isDescending }: Arrangement,
): Pick<Arrangement, 'column' | 'isDescending'> {
  if (column !== sorted) return { column, isDescending: false };
  return isDescending ? AS_PASTED_ORDER : { column, isDescending: true };
}

function Row({
  reading,
  before,
  columns,
  isWarned,
  layout,
  selected,
  holderOf,
  onSelect,
}: Omit<TableProps, 'readings'> & {
  reading: Reading;
  before: Reading | undefined;
  columns: readonly Column[];
  isWarned: boolean;
}) {
  const { position, warnings } = reading;
  const isOpen = selected === position;
  return (
    <>
      <tr class={isOpen ? 'is-selected' : ''}>
        {columns.map((column) => (
          <Cell
            key={column}
            column={column}
            before={before}
            isOpen={isOpen}
            {...{ reading, holderOf, onSelect }}
          />
        ))}
        {isWarned && (
          <td class="warned">{warnings.map((warning) => t(`warning.short.${warning}`)).join(', ')}</td>
        )}
      </tr>
      {isOpen && (
        <tr class="unfolded">
          <td colSpan={columns.length + (isWarned ? 1 : 0)} id={`details-${position}`}>
            <IdDetails reading={reading} layout={layout} />
          </td>
        </tr>
      )}
    </>
  );
}

function Cell({
  column,
  reading,
  before,
  isOpen,
  holderOf,
  onSelect,
}: Pick<TableProps, 'holderOf' | 'onSelect'> & {
  column: Column;
  reading: Reading;
  before: Reading | undefined;
  isOpen: boolean;
}) {
  const { line, key, fields } = reading;
  switch (column) {
    case 'id':
      return <IdCell {...{ reading, isOpen, onSelect }} />;
    case 'time':
      return <TimeCell timeMs={reading.fields?.timestampMs} before={before} />;
    case 'holder':
      return <HolderCell holder={holderOf(reading)} reading={reading} />;
    case 'key':
      return <td class="is-extra">{key ?? ''}</td>;
    case 'position':
      return <td class="number is-extra">{numberText(line)}</td>;
    case 'datacenter':
      return <td class="number is-extra">{cell(fields?.datacenterId)}</td>;
    case 'worker':
      return <td class="number">{cell(fields?.workerId)}</td>;
    case 'sequence':
      return <td class="number is-extra">{cell(fields?.sequence)}</td>;
  }
}

function IdCell({
  reading: { id, position, times },
  isOpen,
  onSelect,
}: Pick<TableProps, 'onSelect'> & { reading: Reading; isOpen: boolean }) {
  return (
    <th scope="row">
      <button
        type="button"
        class="row-id mono"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `details-${position}` : undefined}
        onClick={() => onSelect(isOpen ? undefined : position)}
      >
        {id}
      </button>{' '}
      <CopyIcon text={id} what={id} isSkipped />
      {times > 1 && <span class="times-of-id">×{numberText(times)}</span>}
    </th>
  );
}

function TimeCell({ timeMs, before }: { timeMs: number | undefined; before: Reading | undefined }) {
  if (timeMs === undefined) return <td>–</td>;
  return (
    <td>
      {wallTimeText(timeMs)} <CopyIcon text={utcTime(timeMs)} what={t('time.utc')} isSkipped />{' '}
      <small class="since is-extra">{sinceText(before, timeMs)}</small>
    </td>
  );
}

/** The time since the ID in the row above. */
function sinceText(before: Reading | undefined, timeMs: number): string {
  if (!before?.fields) return '';
  const sinceMs = timeMs - before.fields.timestampMs;
  return sinceMs === 0 ? '' : `${sinceMs > 0 ? '+' : '−'}${durationText(sinceMs)}`;
}

/** The process that generated the ID, or in muted words why the registry doesn't name it. */
function HolderCell({ holder, reading: { fields } }: { holder: string | undefined; reading: Reading }) {
  if (holder !== undefined) return <td class="is-extra mono holder">{holder}</td>;
  const { origin } = (fields && findMaker.value?.(fields)) ?? {};
  return <td class="is-extra muted">{origin && t(`origin.short.${origin}`)}</td>;
}

function cell(value: number | undefined): string {
  return value === undefined ? '–' : numberText(value);
}
