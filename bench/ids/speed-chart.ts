import type { BarChart, BarRow } from '../support/bar-chart.js';
import { isCorrect, peersBySpeed, type Standing } from './comparison.js';
import type { Report } from './report.js';

const OURS = 'nestjs-snowflake, SnowflakeIdMaker';
const UUID = 'crypto.randomUUID';

/**
 * This library as users call it, the fastest two other packages of its kind that made no duplicate, the fastest one that did,
 * and what Node has. All others are in the tables: one that takes 2,000 ns would make hairlines of the rest.
 */
export function speedChart({ comparison }: Report): BarChart {
  const peers = peersBySpeed(comparison, 'stringNs');
  const faulty = peers.filter((standing) => !isCorrect(standing));
  const named = (name: string): Standing[] => comparison.filter(({ rival }) => rival.name === name);
  return {
    title: 'Time per ID: less is better',
    notes: ['Bursts of 4,000 IDs with rests between them, on one core.'],
    columns: ['as a bigint, ns', 'as a string, ns'],
    rows: [
      ...named(OURS).map((standing) => ({
        ...rowOf(standing),
        label: 'SnowflakeIdMaker',
        tone: 'subject' as const,
      })),
      ...peers.filter(isCorrect).slice(0, 2).map(rowOf),
      ...faulty.slice(0, 1).map(faultyRowOf),
      ...named(UUID).map(rowOf),
    ],
  };
}

function rowOf({ rival, speed }: Standing): BarRow {
  return { label: rival.name, values: [speed.bigintNs, speed.stringNs] };
}

function faultyRowOf(standing: Standing): BarRow {
  return { ...rowOf(standing), label: `${standing.rival.name}, repeats IDs`, tone: 'faulty' };
}
