import { DataSource, type DataSourceOptions } from 'typeorm';
import { databaseFor } from '../../../../support/servers/index.js';
import {
  type Blog,
  type Kind,
  optionsOf,
  seed,
  TABLES,
} from '../../../../../libs/snowflake-cli/test/blog.js';
import { runAsClient } from '../../../../docs/migration/client.js';
import type { BlogTraffic } from './blog-traffic.js';

const ROWS = 120;
const ALWAYS_IDENTITY = [
  'ALTER TABLE tag ALTER COLUMN id DROP DEFAULT',
  'DROP SEQUENCE tag_id_seq',
  `ALTER TABLE tag ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (START WITH ${ROWS + 1})`,
];

/** A database with the tables of the old version and with rows. */
export class BlogDatabase {
  private constructor(
    readonly kind: Exclude<Kind, 'better-sqlite3'>,
    readonly options: DataSourceOptions,
    private readonly dataSource: DataSource,
  ) {}

  static async make(kind: Exclude<Kind, 'better-sqlite3'>, old: Blog): Promise<BlogDatabase> {
    const options = { type: kind, url: await databaseFor(kind, 'blog'), poolSize: 6 } as DataSourceOptions;
    const dataSource = await new DataSource(optionsOf(old, options, true)).initialize();
    for (const statement of seed(kind, ROWS)) await dataSource.query(statement);
    if (kind === 'postgres') for (const statement of ALWAYS_IDENTITY) await dataSource.query(statement);
    return new BlogDatabase(kind, options, dataSource);
  }

  run(statements: readonly string[]): Promise<void> {
    return runAsClient(this.options, statements);
  }

  async query<Result>(sql: string): Promise<Result[]> {
    return this.dataSource.query(sql);
  }

  /** Every row, as a text. */
  async rows(): Promise<Set<string>> {
    const texts: string[] = [];
    for (const table of TABLES) {
      const rows: object[] = await this.dataSource.query(`SELECT * FROM ${this.quoted(table)}`);
      texts.push(...rows.map((row) => `${table}: ${Object.entries(row).flat().join(' ')}`));
    }
    return new Set(texts);
  }

  /** The columns, keys and foreign keys in the catalog, sorted. */
  async schema(): Promise<string[]> {
    if (this.kind === 'mariadb') {
      const tables: Record<string, string>[][] = [];
      for (const table of TABLES) tables.push(await this.query(`SHOW CREATE TABLE ${this.quoted(table)}`));
      return tables
        .flatMap(([row]) =>
          String(row?.['Create Table'])
            .split('\n')
            .map((line) => `${row?.['Table']} ${line}`),
        )
        .map((line) => line.replace(/,$/, '').replace(/ AUTO_INCREMENT=\d+/, ''))
        .toSorted();
    }
    const lines: { line: string }[] = await this.query(`
      SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) AS line
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace
      UNION ALL
      SELECT concat_ws(' ', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
        a.attidentity, pg_get_expr(d.adbin, d.adrelid), col_description(a.attrelid, a.attnum))
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r'
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1`);
    return lines.map(({ line }) => line);
  }

  /** What the app had written when this was asked, and the database doesn't have, or has otherwise. */
  async lost({ expected }: BlogTraffic): Promise<string[]> {
    const written = [...expected];
    const q = (name: string): string => this.quoted(name);
    const rows: { fact: string }[] = [
      ...(await this.query<{ fact: string }>(
        `SELECT concat(a.title, ' by ', u.name) AS fact FROM article a JOIN ${q('user')} u ON u.id = a.${q('authorId')}`,
      )),
      ...(await this.query<{ fact: string }>(
        `SELECT concat(c.body, ' on ', a.title) AS fact FROM comment c JOIN article a ON a.id = c.${q('articleId')}`,
      )),
      ...(await this.query<{ fact: string }>(
        `SELECT concat(u.name, ' likes ', a.title) AS fact FROM user_favorites_article f
         JOIN ${q('user')} u ON u.id = f.${q('userId')} JOIN article a ON a.id = f.${q('articleId')}`,
      )),
    ];
    const facts = new Set(rows.map(({ fact }) => fact));
    return written.filter((fact) => !facts.has(fact));
  }

  async close(): Promise<void> {
    await this.dataSource.destroy();
  }

  private quoted(name: string): string {
    return this.kind === 'mariadb' ? `\`${name}\`` : `"${name}"`;
  }
}
