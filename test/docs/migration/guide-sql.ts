import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { MarkdownPage, ROOT } from '../markdown.js';
import { isLockTimeout, PAUSE_MS } from './client.js';

/** The SQL blocks of a guide, each by the title in its first line. Keeps book of those that ran. */
export class GuideSql {
  private readonly blocks = new Map<string, string>();
  private readonly ran = new Set<string>();

  constructor(readonly page: MarkdownPage) {
    for (const { text } of page.blocksIn('sql')) {
      const title = /^-- (.*)\n/.exec(text)?.[1];
      if (title === undefined) throw new Error(`A block does not begin with its title:\n${text}`);
      this.blocks.set(title, text);
    }
  }

  /** Reads a file of `examples/`, in which each part begins with a line such as `-- # title`. */
  static inFile(path: string): GuideSql {
    const [, ...parts] = readFileSync(join(ROOT, path), 'utf8').split(/^-- # /m);
    return new GuideSql(new MarkdownPage(parts.map((part) => `\`\`\`sql\n-- ${part}\`\`\`\n`).join('')));
  }

  has(title: string): boolean {
    return this.blocks.has(title);
  }

  /** The statements of a block. With `table`, the block is about that table instead of `customers`. */
  statements(title: string, table = 'customers'): string[] {
    const text = this.blocks.get(title);
    if (text === undefined) throw new Error(`The guide has no block "${title}"`);
    this.ran.add(title);
    return statementsIn(text.replaceAll('customers', table));
  }

  notRun(): string[] {
    return [...this.blocks.keys()].filter((title) => !this.ran.has(title));
  }
}

/** Splits SQL at the semicolons that end a line, but not within `$$ … $$`. */
function statementsIn(text: string): string[] {
  return text
    .replace(/^--.*$/gm, '')
    .split(/;(?=\s*\n)(?=(?:(?:[^$]|\$(?!\$))*\$\$(?:[^$]|\$(?!\$))*\$\$)*(?:[^$]|\$(?!\$))*$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

export interface BlockResult {
  /** The most rows that a statement of the block has changed. */
  readonly changed: number;
  /** The rows of the last statement. */
  readonly rows: readonly Record<string, unknown>[];
}

/**
 * Runs a block in one session. After a lock timeout it runs a transaction again from its first statement, and elsewhere
 * the statement that failed.
 */
export async function runBlock(session: QueryRunner, statements: readonly string[]): Promise<BlockResult> {
  if (!statements.includes('BEGIN'))
    return runEach(statements, (one) => untilLocked(() => runEach([one], run)));
  return untilLocked(() =>
    runEach(statements, run).catch(async (error: unknown) => {
      await session.query('ROLLBACK');
      throw error;
    }),
  );

  async function run(statement: string): Promise<BlockResult> {
    const { affected, records } = await session.query(statement, [], true);
    return { changed: affected ?? 0, rows: (records ?? []) as BlockResult['rows'] };
  }
}

async function runEach(
  statements: readonly string[],
  run: (statement: string) => Promise<BlockResult>,
): Promise<BlockResult> {
  let changed = 0;
  let rows: BlockResult['rows'] = [];
  for (const statement of statements) {
    const result = await run(statement);
    changed = Math.max(changed, result.changed);
    rows = result.rows;
  }
  return { changed, rows };
}

async function untilLocked(attempt: () => Promise<BlockResult>): Promise<BlockResult> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      await delay(PAUSE_MS);
    }
  }
}
