import type { BitLayout } from 'nestjs-snowflake/core';
import { fieldsSql, type IdSqlDialect } from '../../../../snowflake/src/core/ids/id-sql.js';

/** The languages of {@link decodeCode}, by what people call them. */
export const CODE_LANGUAGES = ['JavaScript', 'PostgreSQL', 'MySQL', 'Python', 'Java', 'Go'] as const;
export type CodeLanguage = (typeof CODE_LANGUAGES)[number];

interface Parts {
  readonly layout: BitLayout;
  readonly shift: number;
  readonly epoch: string;
  /** The lower fields, the most significant first. */
  readonly lower: readonly { readonly name: string; readonly shift: number; readonly mask: string }[];
  readonly tickMs: number;
}

/** Returns how the fields of a layout follow from an ID. */
export function formulaOf(layout: BitLayout): string {
  const { shift, epoch, tickMs, lower } = partsOf(layout);
  return [
    ['time in ms', `(id >> ${shift})${times(tickMs)} + ${epoch}`],
    ...lower.map(({ name, shift: by, mask }) => [name, `${shifted(by)} & ${mask}`]),
  ]
    .map(([name = '', value]) => `${name.padEnd(13)} = ${value}`)
    .join('\n');
}

/** Returns code that decodes an ID of a layout without the library. */
export function decodeCode(layout: BitLayout, language: CodeLanguage, id: string): string {
  return WRITERS[language](partsOf(layout), id);
}

const NAMES: Readonly<Record<string, string>> = {
  datacenter: 'datacenter ID',
  worker: 'worker ID',
  sequence: 'sequence',
};

function partsOf(layout: BitLayout): Parts {
  return {
    layout,
    shift: layout.field('timestamp').shift,
    epoch: String(layout.epochMs),
    tickMs: layout.tickMs,
    lower: layout.fields
      .filter(({ name }) => name !== 'timestamp')
      .map(({ name, shift, bits }) => ({ name: NAMES[name] ?? name, shift, mask: String(2 ** bits - 1) })),
  };
}

const times = (tickMs: number, unit = ''): string => (tickMs === 1 ? '' : ` * ${tickMs}${unit}`);
/** An ID without its lowest bits. */
const shifted = (by: number, operator = '>>', unit = ''): string =>
  by === 0 ? 'id' : `(id ${operator} ${by}${unit})`;
/** `worker ID` as a name of the language: `workerId` or `worker_id`. */
const camel = (name: string): string => name.replace(' ID', 'Id');
const snake = (name: string): string => name.replace(' ID', '_id');

const WRITERS: Readonly<Record<CodeLanguage, (parts: Parts, id: string) => string>> = {
  JavaScript: ({ shift, epoch, tickMs, lower }, id) =>
    [
      `const id = BigInt('${id}'); // A number would round it.`,
      `const time = new Date(Number(id >> ${shift}n)${times(tickMs)} + ${epoch});`,
      ...lower.map(
        ({ name, shift: by, mask }) => `const ${camel(name)} = Number(${shifted(by, '>>', 'n')} & ${mask}n);`,
      ),
    ].join('\n'),
  PostgreSQL: ({ layout }) => query(layout, 'postgres'),
  MySQL: ({ layout }) => query(layout, 'mysql'),
  Python: ({ shift, epoch, tickMs, lower }, id) =>
    [
      'from datetime import datetime, timedelta, timezone',
      '',
      `id = ${id}`,
      `ms = (id >> ${shift})${times(tickMs)} + ${epoch}`,
      'time = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=ms)',
      ...lower.map(({ name, shift: by, mask }) => `${snake(name)} = ${shifted(by)} & ${mask}`),
    ].join('\n'),
  Java: ({ shift, epoch, tickMs, lower }, id) =>
    [
      `long id = ${id}L;`,
      `var time = java.time.Instant.ofEpochMilli((id >>> ${shift})${times(tickMs, 'L')} + ${epoch}L);`,
      ...lower.map(({ name, shift: by, mask }) => `long ${camel(name)} = ${shifted(by, '>>>')} & ${mask}L;`),
    ].join('\n'),
  Go: ({ shift, epoch, tickMs, lower }, id) =>
    [
      `var id int64 = ${id}`,
      `t := time.UnixMilli((id>>${shift})${times(tickMs)} + ${epoch}).UTC()`,
      ...lower.map(({ name, shift: by, mask }) => `${camel(name)} := ${shifted(by)} & ${mask}`),
    ].join('\n'),
};

function query(layout: BitLayout, dialect: IdSqlDialect): string {
  const columns = fieldsSql(layout, dialect).map(({ name, sql }) => `${sql} AS ${name}`);
  return `SELECT id,\n  ${columns.join(',\n  ')}\nFROM orders;`;
}
