import 'reflect-metadata';
import { BitLayout, IdDecoder, InvalidIdError, type IdSource } from '../core/index.js';
import { createdAtOf } from './created-at.js';
import { SnowflakeColumn, SnowflakeId } from './decorators.js';
import { rememberLayout } from './known-layouts.js';

const layout = new BitLayout();
const MADE = new Date('2026-11-21T10:00:00Z');
const id = new IdDecoder(layout).firstIdAt(MADE);
const source: IdSource = { nextId: () => id, canIssue: true, ready: () => Promise.resolve(), layout };

class Row {
  @SnowflakeId({ generator: 'rows' }) id!: unknown;
  @SnowflakeId({ primary: false, generator: 'others' }) traceId!: string;
  @SnowflakeColumn() causeId!: string;
}
class Child extends Row {}
class NoPrimary {
  @SnowflakeId({ primary: false, generator: 'rows' }) number!: string;
}

const make = <Entity extends object>(type: new () => Entity, fields: Partial<Entity>): Entity =>
  Object.assign(new type(), fields);

describe('createdAtOf', () => {
  it('wants to know the layout', () => {
    const row = make(Row, { id });
    expect(() => createdAtOf(row)).toThrow(
      /^ids is left out, and no bit layout is attached under the generator 'rows' in this process/,
    );
    expect(createdAtOf(row, new IdDecoder(layout))).toEqual(MADE);
  });

  describe('with an attached generator', () => {
    beforeAll(() => {
      // The same layout again, as another DataSource brings it, is no other layout.
      rememberLayout('rows', source);
      rememberLayout('rows', { ...source, layout: new BitLayout() });
      rememberLayout('rows', { ...source, layout: undefined });
    });

    it.each([
      ['the primary key', () => make(Row, { id, traceId: '1' })],
      ['an inherited one', () => make(Child, { id })],
      ['the only one', () => make(NoPrimary, { number: id })],
      ['a bigint', () => make(Row, { id: BigInt(id) })],
    ])('reads %s', (_, entity) => {
      expect(createdAtOf(entity())).toEqual(MADE);
    });

    it('has no answer before there is an ID', () => {
      expect(createdAtOf(new Row())).toBeUndefined();
      expect(createdAtOf(make(Row, { id: null }))).toBeUndefined();
    });

    it('reads an ID that a class declares anew', () => {
      class Anew extends Row {
        @SnowflakeId({ generator: 'rows', name: 'anew_id' }) declare id: string;
      }
      expect(createdAtOf(make(Anew, { id }))).toEqual(MADE);
    });

    it.each(['', 'abc', Number(id)])('refuses %p', (wrong) => {
      expect(() => createdAtOf(make(Row, { id: wrong }))).toThrow(InvalidIdError);
    });

    it('refuses a class in which no one ID is the one that was made', () => {
      class Plain {
        @SnowflakeColumn() causeId!: string;
      }
      class Pair {
        @SnowflakeId() left!: string;
        @SnowflakeId() right!: string;
      }
      expect(() => createdAtOf(new Plain())).toThrow(
        'entity declares no @SnowflakeId() (given: "Plain"). Read the one that you mean: ids.decode(order.id).timestamp.',
      );
      expect(() => createdAtOf(new Pair())).toThrow(
        /has several IDs that were made for it \(given: "Pair"\)/,
      );
    });
  });
});
