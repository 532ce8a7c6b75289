import 'reflect-metadata';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import libsql from 'libsql';
import { BitLayout } from 'nestjs-snowflake/core';
import { prepareDatabase } from 'nestjs-snowflake/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { MarkdownPage, ROOT } from '../../../docs/markdown.js';
import { databaseFor, requireBinary } from '../../../support/servers/index.js';
import { layoutOf, published } from '../../../vectors/published.js';

/** A compiler takes its time on a busy machine. */
const RUN_WITHIN_MS = 120_000;
const FILES = {
  sql: 'decode.sql',
  js: 'decode.js',
  python: 'decode.py',
  java: 'Decode.java',
  go: 'decode.go',
};
type Language = keyof typeof FILES;

const DEFAULT_EPOCH_MS = new BitLayout().epochMs;
const sourceOf = (language: Language): string =>
  readFileSync(join(ROOT, 'examples/decode', FILES[language]), 'utf8');

/** What a language reads from an ID. */
interface Fields {
  readonly timestampMs: number;
  readonly workerId: number;
  readonly sequence: number;
}

/** IDs of one epoch with what is known of their fields. All have 41 bits of timestamp, 10 of worker ID and 12 of sequence. */
interface Group {
  readonly epochMs: number;
  readonly ids: readonly (readonly [id: string, fields: Partial<Fields>])[];
}

/** The published IDs of a system. Its worker ID has the datacenter in front. */
function publishedBy(system: string): Group {
  const vectors = published.filter((vector) => vector.system === system);
  const ids = vectors.map(({ id, time, precisionMs = 1, fields = {} }) => {
    const { datacenterId, workerId, sequence } = fields;
    return [
      id,
      {
        ...(time !== undefined && precisionMs === 1 ? { timestampMs: Date.parse(time) } : {}),
        ...(datacenterId !== undefined ? { workerId: datacenterId * 32 + workerId! } : {}),
        ...(sequence !== undefined ? { sequence } : {}),
      },
    ] as const;
  });
  return { epochMs: layoutOf(vectors[0]!).epochMs, ids };
}

const GROUPS: Readonly<Record<string, Group>> = {
  Twitter: publishedBy('twitter'),
  Discord: publishedBy('discord'),
  'the default layout': {
    epochMs: DEFAULT_EPOCH_MS,
    ids: [
      ['0', { timestampMs: DEFAULT_EPOCH_MS, workerId: 0, sequence: 0 }],
      ['4095', { timestampMs: DEFAULT_EPOCH_MS, workerId: 0, sequence: 4095 }],
      ['4190208', { timestampMs: DEFAULT_EPOCH_MS, workerId: 1023, sequence: 0 }],
      ['4194304', { timestampMs: DEFAULT_EPOCH_MS + 1, workerId: 0, sequence: 0 }],
      [
        '9223372036854775807',
        { timestampMs: DEFAULT_EPOCH_MS + 2 ** 41 - 1, workerId: 1023, sequence: 4095 },
      ],
    ],
  },
};

/** How a user calls the code: prints the fields of each ID in the arguments, and the ID composed of them. */
const PROGRAMS = {
  js: `import { compose, decode } from './decode.js';
for (const id of process.argv.slice(2)) {
  const { timestampMs, workerId, sequence } = decode(id);
  console.log(timestampMs, workerId, sequence, compose(timestampMs, workerId, sequence));
}`,
  python: `import sys
from decode import compose, decode
for id in sys.argv[1:]:
    fields = decode(int(id))
    print(*fields, compose(*fields))`,
  java: `class Main {
  public static void main(String[] ids) {
    for (String id : ids) {
      Decode decoded = Decode.of(Long.parseLong(id));
      System.out.printf("%d %d %d %d%n", decoded.timestamp().toEpochMilli(), decoded.workerId(), decoded.sequence(), decoded.compose());
    }
  }
}`,
  go: `package main

import (
	"fmt"
	"os"
	"strconv"

	snowflake "example/decode"
)

func main() {
	for _, text := range os.Args[1:] {
		id, _ := strconv.ParseInt(text, 10, 64)
		timestamp, workerID, sequence := snowflake.Decode(id)
		fmt.Println(timestamp.UnixMilli(), workerID, sequence, snowflake.Compose(timestamp, workerID, sequence))
	}
}`,
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'decode-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);

async function run(command: string, ...args: string[]): Promise<string> {
  const options = { cwd: folder, timeout: RUN_WITHIN_MS, killSignal: 'SIGKILL' } as const;
  const { stdout } = await promisify(execFile)(requireBinary(command), args, options);
  return stdout;
}

/** Runs `source` with the program of its language. Returns what the program prints. */
const RUNNERS: Record<keyof typeof PROGRAMS, (source: string, ids: readonly string[]) => Promise<string>> = {
  js(source, ids) {
    write('package.json', '{ "type": "module" }');
    write('decode.js', source);
    write('main.js', PROGRAMS.js);
    return run('node', 'main.js', ...ids);
  },
  python(source, ids) {
    write('decode.py', source);
    write('main.py', PROGRAMS.python);
    return run('python3', 'main.py', ...ids);
  },
  async java(source, ids) {
    write('Decode.java', source);
    write('Main.java', PROGRAMS.java);
    await run('javac', 'Decode.java', 'Main.java');
    return run('java', 'Main', ...ids);
  },
  go(source, ids) {
    mkdirSync(join(folder, 'decode'));
    write('go.mod', 'module example\n\ngo 1.17\n');
    write('decode/decode.go', source);
    write('main.go', PROGRAMS.go);
    return run('go', 'run', '.', ...ids);
  },
};

const DATABASES: Readonly<Record<string, () => Promise<DataSourceOptions>>> = {
  PostgreSQL: async () => ({ type: 'postgres', url: await databaseFor('postgres', 'decoding') }),
  MariaDB: async () => ({ type: 'mariadb', url: await databaseFor('mariadb', 'decoding'), timezone: 'Z' }),
  SQLite: async () => ({ type: 'better-sqlite3', driver: libsql, database: ':memory:', prepareDatabase }),
};

/** Runs the statement for a database. Returns the fields by ID. */
async function query(database: string, source: string, ids: readonly string[]): Promise<Map<string, Fields>> {
  const statement = source.split(/^-- /m).find((part) => part.split('\n')[0]!.includes(database))!;
  const dataSource = await new DataSource(await DATABASES[database]!()).initialize();
  try {
    await dataSource.query('DROP TABLE IF EXISTS invoices');
    await dataSource.query('CREATE TABLE invoices (id bigint PRIMARY KEY)');
    await dataSource.query(`INSERT INTO invoices VALUES ${ids.map((id) => `(${id})`).join(', ')}`);
    const sql = statement.slice(statement.indexOf('\n')).trim().replace(/;$/, '');
    const rows = await dataSource.query<Record<string, unknown>[]>(sql);
    return new Map(
      rows.map(({ id, created_at: time, worker_id: workerId, sequence }) => [
        String(id),
        {
          timestampMs: time instanceof Date ? time.getTime() : Date.parse(`${String(time)}Z`),
          workerId: Number(workerId),
          sequence: Number(sequence),
        },
      ]),
    );
  } finally {
    await dataSource.destroy();
  }
}

/** Reads IDs by the code for a language or a database, with its epoch replaced as the page says. */
async function decodeBy(name: string, { epochMs, ids }: Group): Promise<Map<string, Fields>> {
  const texts = ids.map(([id]) => id);
  const language = (name in PROGRAMS ? name : 'sql') as Language;
  const source = sourceOf(language).replaceAll(String(DEFAULT_EPOCH_MS), String(epochMs));
  if (language === 'sql') return query(name, source, texts);
  const lines = (await RUNNERS[language](source, texts)).trim().split('\n');
  return new Map(
    lines.map((line) => {
      const [timestampMs, workerId, sequence, composed = ''] = line.split(' ');
      return [
        composed,
        { timestampMs: Number(timestampMs), workerId: Number(workerId), sequence: Number(sequence) },
      ];
    }),
  );
}

describe('the code that decodes IDs in other languages', () => {
  const page = MarkdownPage.read('docs/guides/decoding.md');

  it.each(Object.keys(FILES) as Language[])(
    'is the same on the page and in examples/decode in %s',
    (language) => {
      expect(page.blocksIn(language).map(({ text }) => text)).toEqual([sourceOf(language)]);
    },
  );

  describe.each([...Object.keys(PROGRAMS), ...Object.keys(DATABASES)])('in %s', (name) => {
    it.each(Object.entries(GROUPS))(
      'decodes the IDs of %s',
      async (_system, group) => {
        const decoded = await decodeBy(name, group);
        expect(Object.fromEntries(decoded)).toEqual(
          Object.fromEntries(group.ids.map(([id, fields]) => [id, expect.objectContaining(fields)])),
        );
      },
      2 * RUN_WITHIN_MS,
    );
  });
});
