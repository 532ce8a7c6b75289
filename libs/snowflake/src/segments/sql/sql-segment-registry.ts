import { showValue } from '../../core/errors/show-value.js';
import { StoreRejectedError } from '../../core/index.js';
import { Overtaken } from '../../kit/sql/errors.js';
import type { SqlRow, Statements } from '../../kit/sql/statements.js';
import type { ClaimRow, Counter, Membership, SegmentRegistry, TagState } from '../protocol/index.js';
import type { LossReason } from '../segment-store.js';
import { readMembers, writtenMembers } from './member-list.js';
import { NO_TAG, type SegmentPlace, TableHistory } from './table-history.js';

const HELD = 'held';
const REST = 'rest';

/** Reads and writes the tags of one database in one transaction. */
export class SqlSegmentRegistry implements SegmentRegistry {
  private readonly history: TableHistory;
  private connectionId?: string;
  /** Asked once: a transaction has one server. */
  private loss: Promise<LossReason | undefined> | undefined;

  constructor(
    private readonly statements: Statements,
    private readonly place: SegmentPlace,
    private readonly description: string,
  ) {
    this.history = new TableHistory(statements, place, description);
  }

  async lock(tag: string): Promise<Counter | undefined> {
    const { tables, dialect } = this.place;
    const [row] = await this.statements.query(
      `SELECT biz_tag, ${this.exact('max_id')} AS next_text, step, ${dialect.connectionId} AS connection_id` +
        ` FROM ${tables.counters} WHERE biz_tag = ?${dialect.lockRow}`,
      [tag],
    );
    if (!row) return undefined;
    this.requireExact(tag, row['biz_tag']);
    this.connectionId = String(row['connection_id']);
    return { next: this.number(row, 'next_text'), step: Number(row['step']) };
  }

  async lockAll(): Promise<readonly string[]> {
    const { tables, dialect } = this.place;
    const rows = await this.statements.query(
      `SELECT biz_tag FROM ${tables.counters} ORDER BY biz_tag${dialect.lockRow}`,
    );
    return rows.map((row) => String(row['biz_tag']));
  }

  async claimedTags(): Promise<readonly string[]> {
    const rows = await this.statements.query(
      `SELECT biz_tag FROM ${this.place.tables.states} WHERE biz_tag <> ?`,
      [NO_TAG],
    );
    return rows.map((row) => String(row['biz_tag']));
  }

  serverLoss(): Promise<LossReason | undefined> {
    this.loss ??= this.requireOneServer().then(() => this.history.loss());
    return this.loss;
  }

  async acceptHistory(): Promise<void> {
    await this.history.accept();
    this.loss = undefined;
  }

  async state(tag: string): Promise<TagState | undefined> {
    const [row] = await this.statements.query(
      `SELECT ${this.exact('known_until')} AS known_text, stride, remainder, member_id, members` +
        ` FROM ${this.place.tables.states} WHERE biz_tag = ?`,
      [tag],
    );
    if (!row) return undefined;
    const [stride, remainder] = [Number(row['stride']), Number(row['remainder'])];
    const membership = this.membership(row);
    return { knownUntil: this.number(row, 'known_text'), stride, remainder, membership };
  }

  async addState(tag: string, { knownUntil, stride, remainder }: TagState): Promise<void> {
    await this.statements.write(
      `INSERT INTO ${this.place.tables.states} (biz_tag, known_until, stride, remainder) VALUES (?, ?, ?, ?)`,
      [tag, knownUntil, stride, remainder],
    );
  }

  async setKnownUntil(tag: string, from: number, to: number): Promise<void> {
    const { states } = this.place.tables;
    if (from === to) return;
    await this.change(tag, `UPDATE ${states} SET known_until = ? WHERE biz_tag = ? AND known_until = ?`, [
      to,
      tag,
      from,
    ]);
  }

  async setMembership(tag: string, from: Membership, to: Membership): Promise<void> {
    const [before, after] = [from, to].map(({ id = '', known }) => [id, writtenMembers(known)] as const);
    if (!before || !after || String(before) === String(after)) return;
    await this.change(
      tag,
      `UPDATE ${this.place.tables.states} SET member_id = ?, members = ?` +
        " WHERE biz_tag = ? AND COALESCE(member_id, '') = ? AND COALESCE(members, '') = ?",
      [...after, tag, ...before],
    );
  }

  async addCounter(tag: string, { next, step }: Counter, description?: string): Promise<void> {
    const [column, value] = description === undefined ? ['', ''] : [', description', ', ?'];
    await this.statements.write(
      `INSERT INTO ${this.place.tables.counters} (biz_tag, max_id, step${column}) VALUES (?, ?, ?${value})`,
      [tag, next, step, ...(description === undefined ? [] : [description])],
    );
  }

  async advance(tag: string, from: number, to: number): Promise<void> {
    await this.change(
      tag,
      `UPDATE ${this.place.tables.counters} SET max_id = ?, update_time = CURRENT_TIMESTAMP` +
        ' WHERE biz_tag = ? AND max_id = ?',
      [to, tag, from],
    );
  }

  async claim(token: string): Promise<ClaimRow | undefined> {
    const [row] = await this.rows('WHERE token = ?', [token]);
    return row;
  }

  async addClaim(tag: string, { token, first, count, isRest }: ClaimRow): Promise<void> {
    await this.statements.write(
      `INSERT INTO ${this.place.tables.claims} (token, biz_tag, first_number, size, state) VALUES (?, ?, ?, ?, ?)`,
      [token, tag, first, count, isRest ? REST : HELD],
    );
  }

  async replaceClaim(from: ClaimRow, to: ClaimRow): Promise<void> {
    await this.change(
      from.token,
      `UPDATE ${this.place.tables.claims} SET token = ?, first_number = ?, size = ?, state = ?` +
        ' WHERE token = ? AND first_number = ? AND size = ? AND state = ?',
      [...fieldsOf(to), ...fieldsOf(from)],
    );
  }

  async removeClaims(tokens: readonly string[]): Promise<void> {
    for (const token of tokens)
      await this.statements.write(`DELETE FROM ${this.place.tables.claims} WHERE token = ?`, [token]);
  }

  async forgetClaims(tag: string): Promise<void> {
    await this.statements.write(`DELETE FROM ${this.place.tables.claims} WHERE biz_tag = ?`, [tag]);
  }

  async lowestRest(tag: string): Promise<ClaimRow | undefined> {
    const [row] = await this.rows('WHERE biz_tag = ? AND state = ? ORDER BY first_number LIMIT 1', [
      tag,
      REST,
    ]);
    return row;
  }

  claims(tag: string): Promise<readonly ClaimRow[]> {
    return this.rows('WHERE biz_tag = ? ORDER BY first_number', [tag]);
  }

  private async rows(rest: string, parameters: readonly string[]): Promise<ClaimRow[]> {
    const rows = await this.statements.query(
      `SELECT token, ${this.exact('first_number')} AS first_text, ${this.exact('size')} AS size_text, state` +
        ` FROM ${this.place.tables.claims} ${rest}`,
      parameters,
    );
    return rows.map((row) => ({
      token: String(row['token']),
      first: this.number(row, 'first_text'),
      count: this.number(row, 'size_text'),
      isRest: row['state'] === REST,
    }));
  }

  /** Writes one row that must be as it was read. Does not rely on the lock, which a table or a cluster may not have. */
  private async change(what: string, sql: string, parameters: readonly (string | number)[]): Promise<void> {
    if ((await this.statements.write(sql, parameters)) !== 1) throw new Overtaken(`the segment of ${what}`);
  }

  /** A table of Leaf may have a collation that ignores case. Then rests and the operator's word would miss each other. */
  private requireExact(tag: string, stored: unknown): void {
    if (stored === tag) return;
    throw new StoreRejectedError(
      `${this.description} takes the tag ${showValue(tag)} for ${showValue(stored)}, because its collation ignores case. Use the ` +
        'stored name.',
    );
  }

  private membership(row: SqlRow): Membership {
    const text = String(row['members'] ?? '');
    const known = readMembers(text);
    if (!known) throw this.unreadable('members', text);
    const id = String(row['member_id'] ?? '');
    return { ...(id !== '' && { id }), known };
  }

  private exact(column: string): string {
    return `CAST(${column} AS ${this.place.dialect.textType})`;
  }

  private number(row: SqlRow, column: string): number {
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

  /** A read that another server answers may miss the latest commits. */
  private async requireOneServer(): Promise<void> {
    if (this.connectionId === undefined) return;
    const [row] = await this.statements.query(`SELECT ${this.place.dialect.connectionId} AS connection_id`);
    if (String(row?.['connection_id']) === this.connectionId) return;
    throw new StoreRejectedError(
      'A proxy between this process and the database sends one transaction to several servers. Claim segments from the ' +
        'primary directly, or disable load balancing for this connection.',
    );
  }
}

function fieldsOf({ token, first, count, isRest }: ClaimRow): (string | number)[] {
  return [token, first, count, isRest ? REST : HELD];
}
