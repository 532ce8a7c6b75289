import { useEffect, useState } from 'preact/hooks';
import { type Arrangement, AS_PASTED, type Column } from '../../ids/arranged.js';
import type { Reading } from '../../ids/reading.js';
import type { MessageKey } from '../../messages/languages.js';
import { numberText, t } from '../../messages/messages.js';
import { localTime, zone } from '../../messages/times.js';
import { MoreRows } from '../../ui/more-rows.js';

/** The number of rows that a browser lays out without a noticeable pause. */
const ROWS_AT_ONCE = 100;

const COLUMNS: readonly (readonly [Column, MessageKey])[] = [
  ['id', 'table.id'],
  ['time', 'table.time'],
  ['datacenter', 'field.datacenter'],
  ['worker', 'field.worker'],
  ['sequence', 'field.sequence'],
];

const AS_PASTED_ORDER = { column: AS_PASTED.column, isDescending: AS_PASTED.isDescending };

interface TableProps {
  readonly readings: readonly Reading[];
  readonly arrangement: Arrangement;
  readonly selected: number | undefined;
  readonly onArrange: (part: Partial<Arrangement>) => void;
  readonly onSelect: (position: number) => void;
}

/** Moves the focus to the row of an ID, if it is shown. */
export function focusRow(position: number): void {
  document.querySelector<HTMLElement>(`.row-id[data-position="${position}"]`)?.focus();
}

/** All IDs, with a button on each that shows its details. */
export function ReadingsTable(props: TableProps) {
  const { readings } = props;
  const [rows, setRows] = useState(ROWS_AT_ONCE);
  useEffect(() => setRows(ROWS_AT_ONCE), [readings]);
  const hasDatacenter = readings.some(({ fields }) => fields?.datacenterId !== undefined);
  const columns = COLUMNS.filter(([column]) => column !== 'datacenter' || hasDatacenter);
  return (
    <div class="scroller" tabIndex={0} role="region" aria-label={t('table.label')}>
      <table>
        <thead>
          <tr>
            {columns.map(([column, label]) => (
              <Heading key={column} column={column} label={label} {...props} />
            ))}
            <th scope="col">{t('table.warnings')}</th>
          </tr>
        </thead>
        <tbody>
          {readings.slice(0, rows).map((reading) => (
            <Row key={reading.position} reading={reading} hasDatacenter={hasDatacenter} {...props} />
          ))}
        </tbody>
      </table>
      <MoreRows shown={rows} of={readings.length} onMore={() => setRows(rows + ROWS_AT_ONCE)} />
    </div>
  );
}

function Heading({
  column,
  label,
  arrangement,
  onArrange,
}: Pick<TableProps, 'arrangement' | 'onArrange'> & { column: Column; label: MessageKey }) {
  const isSorted = arrangement.column === column;
  const { isDescending } = arrangement;
  const order = isDescending ? 'descending' : 'ascending';
  const words = column === 'time' ? `${t(label)} (${zone})` : t(label);
  return (
    <th scope="col" aria-sort={isSorted ? order : 'none'}>
      <button type="button" class="sort" onClick={() => onArrange(nextOrder(column, arrangement))}>
        {words}
        <span aria-hidden="true">{isSorted ? (isDescending ? ' ▼' : ' ▲') : ''}</span>
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
  reading: { id, position, fields, warnings },
  selected,
  hasDatacenter,
  onSelect,
}: Pick<TableProps, 'selected' | 'onSelect'> & { reading: Reading; hasDatacenter: boolean }) {
  return (
    <tr class={selected === position ? 'is-selected' : ''}>
      <th scope="row">
        <button
          type="button"
          class="row-id mono"
          data-position={position}
          aria-current={selected === position}
          onClick={() => onSelect(position)}
        >
          {id}
        </button>
      </th>
      <td>{fields ? localTime(fields.timestampMs) : '–'}</td>
      {hasDatacenter && <td class="number">{cell(fields?.datacenterId)}</td>}
      <td class="number">{cell(fields?.workerId)}</td>
      <td class="number">{cell(fields?.sequence)}</td>
      <td>{warnings.map((warning) => t(`warning.short.${warning}`)).join(', ')}</td>
    </tr>
  );
}

function cell(value: number | undefined): string {
  return value === undefined ? '–' : numberText(value);
}
