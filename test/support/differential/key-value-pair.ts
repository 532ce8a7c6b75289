import type { LeaseRequest } from '../../../libs/snowflake/src/lease/lease-store.js';
import { KeyValueLeaseStore } from '../../../libs/snowflake-coordination/src/key-value/key-value-lease-store.js';
import { rowKey, rowValue } from '../../../libs/snowflake-coordination/src/key-value/row-format.js';
import {
  FRESH_KEY,
  HEADER_KEY,
  STAMP_KEY,
} from '../../../libs/snowflake-coordination/src/key-value/stored-header.js';
import type { ServerState } from '../../../libs/snowflake/src/stores/protocol/lease-registry.js';
import { readRow } from '../../../libs/snowflake/src/stores/registry-format.js';
import { MemoryKeyValues } from '../memory-key-values.js';
import { ModelPair, type VirtualCounterpart } from './model-pair.js';

const isWorkerId = (field: string): boolean => /^\d+$/.test(field);

/** Keys and values whose clock and history the test decides, and whose registry it can write field by field. */
export class VirtualKeyValues implements VirtualCounterpart {
  readonly values = new MemoryKeyValues();
  readonly store = new KeyValueLeaseStore('virtual', this.values);

  become({ nowMs, historyId }: ServerState): void {
    this.values.server = { nowMs, historyId, positionAtMost: 0n };
  }

  async fields(): Promise<Record<string, string>> {
    const rows = [...this.values.content.entries].flatMap(([key, { value }]) => {
      if (!key.startsWith('w/')) return [];
      const [, reserved, token] = /^0*(\d+) \d{10} (.*)$/.exec(value) ?? [];
      return [[String(Number(key.slice(2))), token === undefined ? value : `${reserved} ${token}`]];
    });
    const fresh = this.values.content.entries.get(FRESH_KEY)?.value;
    const { position: _position, ...header } = this.header();
    return { ...Object.fromEntries(rows), ...header, ...(fresh !== undefined && { fresh }) };
  }

  async replaceFields(fields: Readonly<Record<string, string>>): Promise<void> {
    this.values.content.wipe();
    this.put(fields);
  }

  put(fields: Readonly<Record<string, string>>): void {
    for (const [field, value] of Object.entries(fields)) this.putField(field, value);
  }

  async write(field: string, value: string): Promise<void> {
    this.putField(field, value);
  }

  private putField(field: string, value: string): void {
    if (isWorkerId(field))
      return this.values.content.put(new Map([[rowKey(Number(field)), storedRow(field, value)]]));
    if (field === 'fresh') return this.values.content.put(new Map([[FRESH_KEY, value]]));
    const header = JSON.stringify({ ...this.header(), [field]: value });
    this.values.content.put(
      new Map([
        [HEADER_KEY, header],
        [STAMP_KEY, ''],
      ]),
    );
  }

  private header(): Record<string, string> {
    return JSON.parse(this.values.content.entries.get(HEADER_KEY)?.value ?? '{}') as Record<string, string>;
  }
}

/** Text that is no row stays as it is. */
function storedRow(workerId: string, value: string): string {
  const row = readRow(value);
  return row ? rowValue({ workerId: Number(workerId), ...row }) : value;
}

/** The model and the registry of keys and values. */
export class KeyValuePair extends ModelPair {
  private histories = 1;

  constructor(
    private readonly virtual: VirtualKeyValues,
    range: Pick<LeaseRequest, 'firstWorkerId' | 'workerCount'>,
  ) {
    super(virtual, range);
  }

  protected override serverState(): ServerState {
    return { nowMs: this.nowMs, historyId: `history ${this.histories}` };
  }

  protected override async setServerState(): Promise<void> {
    this.virtual.become(this.serverState());
  }

  protected override async announceLoss(): Promise<void> {
    this.histories += 1;
  }
}
