import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import libsql from 'libsql';
import { BitLayout } from 'nestjs-snowflake/core';
import { prepareDatabase } from 'nestjs-snowflake/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { ROOT } from '../../../docs/markdown.js';
import { databaseFor, requireBinary } from '../../../support/servers/index.js';

/** A compiler takes its time on a busy machine. */
export const RUN_WITHIN_MS = 120_000;
export const FILES = {
  sql: 'decode.sql',
  js: 'decode.js',
  python: 'decode.py',
  java: 'Decode.java',
  go: 'decode.go',
};
export type Language = keyof typeof FILES;

export const DEFAULT_EPOCH_MS = new BitLayout().epochMs;
export const sourceOf = (language: Language): string =>
  readFileSync(join(ROOT, 'examples/decode', FILES[language]), 'utf8');

/** What a language reads from an ID. */
interface Fields {
  readonly timestampMs: number;
  readonly workerId: number;
  readonly sequence: number;
}

/** IDs of one epoch with what is known of their fields. All have 41 bits of timestamp, 10 of worker ID and 12 of sequence. */
export interface Group {
  readonly epochMs: number;
  readonly ids: readonly (readonly [id: string, fields: Partial<Fields>])[];
}

/** How a user calls the code: prints the fields of each ID in the arguments, and the ID composed of them. */
export const PROGRAMS = {
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

/** A project that a program runs in. */
class Project {
  readonly folder = mkdtempSync(join(tmpdir(), 'decode-'));

  write(path: string, text: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  async run(command: string, ...args: string[]): Promise<string> {
    const options = { cwd: this.folder, timeout: RUN_WITHIN_MS, killSignal: 'SIGKILL' } as const;
    const { stdout } = await promisify(execFile)(requireBinary(command), args, options);
    return stdout;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

type Runner = (project: Project, source: string, ids: readonly string[]) => Promise<string>;

/** Runs `source` with the program of its language. Returns what the program prints. */
const RUNNERS: Record<keyof typeof PROGRAMS, Runner> = {
  js(project, source, ids) {
    project.write('package.json', '{ "type": "module" }');
    project.write('decode.js', source);
    project.write('main.js', PROGRAMS.js);
    return project.run('node', 'main.js', ...ids);
  },
  python(project, source, ids) {
    project.write('decode.py', source);
    project.write('main.py', PROGRAMS.python);
    return project.run('python3', 'main.py', ...ids);
  },
  async java(project, source, ids) {
    project.write('Decode.java', source);
    project.write('Main.java', PROGRAMS.java);
    await project.run('javac', 'Decode.java', 'Main.java');
    return project.run('java', 'Main', ...ids);
  },
  go(project, source, ids) {
    project.write('go.mod', 'module example\n\ngo 1.17\n');
    project.write('decode/decode.go', source);
    project.write('main.go', PROGRAMS.go);
    return project.run('go', 'run', '.', ...ids);
  },
};

export const DATABASES: Readonly<Record<string, () => Promise<DataSourceOptions>>> = {
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
export async function decodeBy(name: string, { epochMs, ids }: Group): Promise<Map<string, Fields>> {
  const texts = ids.map(([id]) => id);
  const language = (name in PROGRAMS ? name : 'sql') as Language;
  const source = sourceOf(language).replaceAll(String(DEFAULT_EPOCH_MS), String(epochMs));
  if (language === 'sql') return query(name, source, texts);
  const project = new Project();
  const printed = await RUNNERS[language](project, source, texts).finally(() => project.remove());
  const lines = printed.trim().split('\n');
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
