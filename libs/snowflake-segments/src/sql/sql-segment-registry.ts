import { showValue } from 'nestjs-snowflake/internal/core/errors/show-value';
import { StoreRejectedError } from 'nestjs-snowflake/store';
import { ConcurrentWriteError, means } from 'nestjs-snowflake/internal/kit/sql/errors';
import { KeptHistory } from 'nestjs-snowflake/internal/kit/sql/history/kept-history';
import { OneServer } from 'nestjs-snowflake/internal/kit/sql/one-server';
import { ReadAhead } from 'nestjs-snowflake/internal/kit/sql/read-ahead';
import type { SqlRow, SqlValue, Statement, Statements } from 'nestjs-snowflake/internal/kit/sql/statements';
import { HISTORY_KEY, type SqlPlace } from 'nestjs-snowflake/internal/kit/sql/tables/tables';
import type {
  ClaimRow,
  Counter,
  Membership,
  NewSegment,
  SegmentRegistry,
  TagState,
} from '../protocol/segment-registry.js';
import type { LossReason } from '../store/segment-store.js';
import { readMembers, writtenMembers } from './member-list.js';
import type { PossibleLoss } from './sql-segment-options.js';
import type { SegmentTableName } from './segment-tables.js';

const HELD = 'held';
const REST = 'rest';

type WritingStatement = Required<Statement>;

/** Reads and writes the tags of one database in one transaction. */
export class SqlSegmentRegistry implements SegmentRegistry {
  private readonly tables: Readonly<Record<SegmentTableName, string>>;
  private readonly history: KeptHistory;
  private readonly oneServer: OneServer;
  private readonly ahead: ReadAhead;
  /** What the protocol asks about the segment for which the tag is locked. */
  private claimQueries: readonly Statement[] = [];
  /** Asked once: a transaction has one server. */
  private loss: Promise<LossReason | undefined> | undefined;

  constructor(
    private readonly statements: Statements,
    private readonly place: SqlPlace<SegmentTableName>,
    private readonly possibleLoss: PossibleLoss,
    private readonly description: string,
  ) {
    this.tables = place.tables.quoted;
    this.ahead = new ReadAhead(statements);
    this.history = new KeptHistory(this.ahead, place, possibleLoss !== 'refuseRestarts', description);
    this.oneServer = new OneServer(place.dialect);
  }

  async lock(tag: string, token?: string): Promise<Counter | undefined> {
    const locking = {
      sql:
        `SELECT biz_tag, ${this.asText('max_id')} AS next_text, step, ${this.oneServer.column}` +
        ` FROM ${this.tables.counters} WHERE biz_tag = ?${this.place.dialect.lockRow}`,
      parameters: [tag],
    };
    this.claimQueries = token === undefined ? [] : [this.selectClaim(token), this.selectLowestRest(tag)];
    const expected =
      token === undefined ? [] : [...this.serverQueries(), this.selectState(tag), ...this.claimQueries];
    const row = await this.ahead.first(locking, expected);
    if (!row) return undefined;
    this.requireExact(tag, row['biz_tag']);
    this.oneServer.note(row);
    return { next: this.readNumber(row, 'next_text'), step: Number(row['step']) };
  }

  async lockAll(): Promise<readonly string[]> {
    const rows = await this.statements.query(
      `SELECT biz_tag FROM ${this.tables.counters} ORDER BY biz_tag${this.place.dialect.lockRow}`,
    );
    return rows.map((row) => String(row['biz_tag']));
  }

  async claimedTags(): Promise<readonly string[]> {
    const rows = await this.statements.query(`SELECT biz_tag FROM ${this.tables.states} WHERE biz_tag <> ?`, [
      HISTORY_KEY,
    ]);
    return rows.map((row) => String(row['biz_tag']));
  }

  serverLoss(): Promise<LossReason | undefined> {
    this.loss ??= this.findLoss();
    return this.loss;
  }

  async acceptHistory(): Promise<void> {
    await this.history.accept();
    this.loss = undefined;
  }

  async findState(tag: string): Promise<TagState | undefined> {
    const [row] = await this.ahead.read(this.selectState(tag));
    if (!row) return undefined;
    const [stride, remainder] = [Number(row['stride']), Number(row['remainder'])];
    const membership = this.readMembership(row);
    return { knownUntil: this.readNumber(row, 'known_text'), stride, remainder, membership };
  }

  async addState(tag: string, { knownUntil, stride, remainder }: TagState): Promise<void> {
    await this.statements.write(
      `INSERT INTO ${this.tables.states} (biz_tag, known_until, stride, remainder) VALUES (?, ?, ?, ?)`,
      [tag, knownUntil, stride, remainder],
    );
  }

  async setKnownUntil(tag: string, from: number, to: number): Promise<void> {
    if (from !== to) await this.change(tag, this.updateKnownUntil(tag, from, to));
  }

  async setMembership(tag: string, from: Membership, to: Membership): Promise<void> {
    const before = membershipColumns(from);
    const after = membershipColumns(to);
    if (before.every((value, at) => value === after[at])) return;
    await this.change(tag, {
      sql:
        `UPDATE ${this.tables.states} SET member_id = ?, members = ?` +
        " WHERE biz_tag = ? AND COALESCE(member_id, '') = ? AND COALESCE(members, '') = ?",
      parameters: [...after, tag, ...before],
    });
  }

  async addCounter(tag: string, { next, step }: Counter, description?: string): Promise<void> {
    const [column, value] = description === undefined ? ['', ''] : [', description', ', ?'];
    await this.statements.write(
      `INSERT INTO ${this.tables.counters} (biz_tag, max_id, step${column}) VALUES (?, ?, ?${value})`,
      [tag, next, step, ...(description === undefined ? [] : [description])],
    );
  }

  async advance(tag: string, from: number, to: number): Promise<void> {
    await this.change(tag, this.updateCounter(tag, from, to));
  }

  /** Writes in one message where the database can check in it that each row was as it was read, and commits with it. */
  async grantNew(tag: string, { next, knownUntil, end, row }: NewSegment): Promise<void> {
    const { counters, states } = this.tables;
    const updates = [{ table: counters, statement: this.updateCounter(tag, next, end) }];
    if (knownUntil !== end)
      updates.push({ table: states, statement: this.updateKnownUntil(tag, knownUntil, end) });
    const insert = this.insertClaim(tag, row);
    const { requireWritten } = this.place.dialect;
    if (!requireWritten) {
      for (const { statement } of updates) await this.change(tag, statement);
      await this.statements.batch([insert]);
      return;
    }
    const checkedUpdates = updates.flatMap(({ table, statement }) => [
      statement,
      { sql: requireWritten(table, 'biz_tag = ?'), parameters: [tag] },
    ]);
    const { commit = this.statements.batch } = this.statements;
    // A token that exists fails the message.
    await commit.call(this.statements, [...checkedUpdates, insert]).catch((error: unknown) => {
      throw means(error, 'unwritten') ? changedMeanwhile(tag) : error;
    });
  }

  async findClaim(token: string): Promise<ClaimRow | undefined> {
    const [row] = await this.rows(this.selectClaim(token));
    return row;
  }

  async addClaim(tag: string, row: ClaimRow): Promise<void> {
    await this.statements.batch([this.insertClaim(tag, row)]);
  }

  async replaceClaim(from: ClaimRow, to: ClaimRow): Promise<void> {
    await this.change(from.token, {
      sql:
        `UPDATE ${this.tables.claims} SET token = ?, first_number = ?, size = ?, state = ?` +
        ' WHERE token = ? AND first_number = ? AND size = ? AND state = ?',
      parameters: [...claimColumns(to), ...claimColumns(from)],
    });
  }

  async removeClaims(tokens: readonly string[]): Promise<void> {
    if (tokens.length === 0) return;
    const sql = `DELETE FROM ${this.tables.claims} WHERE token = ?`;
    await this.ahead.send(
      tokens.map((token) => ({ sql, parameters: [token] })),
      this.claimQueries,
    );
  }

  async forgetClaims(tag: string): Promise<void> {
    await this.statements.write(`DELETE FROM ${this.tables.claims} WHERE biz_tag = ?`, [tag]);
  }

  async lowestRest(tag: string): Promise<ClaimRow | undefined> {
    const [row] = await this.rows(this.selectLowestRest(tag));
    return row;
  }

  claims(tag: string): Promise<readonly ClaimRow[]> {
    return this.rows(this.selectClaims('biz_tag = ? ORDER BY first_number', tag));
  }

  private async rows(statement: Statement): Promise<ClaimRow[]> {
    const rows = await this.ahead.read(statement);
    return rows.map((row) => ({
      token: String(row['token']),
      first: this.readNumber(row, 'first_text'),
      count: this.readNumber(row, 'size_text'),
      isRest: row['state'] === REST,
    }));
  }

  /** Writes one row that must be as it was read. Does not rely on the lock, which a table or a cluster may not have. */
  private async change(what: string, { sql, parameters }: WritingStatement): Promise<void> {
    if ((await this.statements.write(sql, parameters)) !== 1) throw changedMeanwhile(what);
  }

  /** Returns what {@link serverLoss} will ask. */
  private serverQueries(): Statement[] {
    if (this.loss) return [];
    return [this.selectServer, ...(this.possibleLoss === 'ignore' ? [] : this.history.questions)];
  }

  private get selectServer(): Statement {
    return { sql: `SELECT ${this.oneServer.column}` };
  }

  private selectState(tag: string): Statement {
    const columns = `${this.asText('known_until')} AS known_text, stride, remainder, member_id, members`;
    return { sql: `SELECT ${columns} FROM ${this.tables.states} WHERE biz_tag = ?`, parameters: [tag] };
  }

  private selectClaim(token: string): Statement {
    return this.selectClaims('token = ?', token);
  }

  private selectLowestRest(tag: string): Statement {
    return this.selectClaims('biz_tag = ? AND state = ? ORDER BY first_number LIMIT 1', tag, REST);
  }

  private selectClaims(condition: string, ...parameters: readonly string[]): Statement {
    const numbers = `${this.asText('first_number')} AS first_text, ${this.asText('size')} AS size_text`;
    return {
      sql: `SELECT token, ${numbers}, state FROM ${this.tables.claims} WHERE ${condition}`,
      parameters,
    };
  }

  private updateCounter(tag: string, from: number, to: number): WritingStatement {
    const { counters } = this.tables;
    return {
      sql: `UPDATE ${counters} SET max_id = ?, update_time = CURRENT_TIMESTAMP WHERE biz_tag = ? AND max_id = ?`,
      parameters: [to, tag, from],
    };
  }

  private updateKnownUntil(tag: string, from: number, to: number): WritingStatement {
    return {
      sql: `UPDATE ${this.tables.states} SET known_until = ? WHERE biz_tag = ? AND known_until = ?`,
      parameters: [to, tag, from],
    };
  }

  private insertClaim(tag: string, row: ClaimRow): WritingStatement {
    return {
      sql: `INSERT INTO ${this.tables.claims} (biz_tag, token, first_number, size, state) VALUES (?, ?, ?, ?, ?)`,
      parameters: [tag, ...claimColumns(row)],
    };
  }

  /** A table of Leaf may have a collation that ignores case. Then rests and the numbers that the operator names would miss each other. */
  private requireExact(tag: string, stored: unknown): void {
    if (stored === tag) return;
    throw new StoreRejectedError(
      `${this.description} treats the tag ${showValue(tag)} as ${showValue(stored)}, because its collation ignores case. Use the ` +
        'stored name.',
    );
  }

  private readMembership(row: SqlRow): Membership {
    const text = String(row['members'] ?? '');
    const known = readMembers(text);
    if (!known) throw this.unreadable('members', text);
    const id = String(row['member_id'] ?? '');
    return { ...(id !== '' && { id }), known };
  }

  private asText(column: string): string {
    return `CAST(${column} AS ${this.place.dialect.textType})`;
  }

  private readNumber(row: SqlRow, column: string): number {
    const text = String(row[column]);
    const number = Number(text);
    if (/^-?\d+$/.test(text) && Number.isSafeInteger(number)) return number;
    throw this.unreadable(column, text);
  }

  private unreadable(column: string, text: string): StoreRejectedError {
    return new StoreRejectedError(
      `${this.description} holds an unreadable value in ${column}: ${showValue(text)}. Nothing was changed. Find out who ` +
        'wrote it, and correct the row.',
    );
  }

  private async findLoss(): Promise<LossReason | undefined> {
    if (this.oneServer.isKnown) {
      const [row] = await this.ahead.read(this.selectServer);
      this.oneServer.require(row);
    }
    if (this.possibleLoss === 'ignore') return undefined;
    return (await this.history.isLost()) ? 'history' : undefined;
  }
}

function changedMeanwhile(what: string): ConcurrentWriteError {
  return new ConcurrentWriteError(`the segment of ${what}`);
}

function claimColumns({ token, first, count, isRest }: ClaimRow): SqlValue[] {
  return [token, first, count, isRest ? REST : HELD];
}

/** Returns both columns, which are empty or NULL without a membership. */
function membershipColumns({ id = '', known }: Membership): string[] {
  return [id, writtenMembers(known)];
}
