import libsql from 'libsql';
import { prepareDatabase, SnowflakeId } from 'nestjs-snowflake/typeorm';
import {
  ChildEntity,
  type DataSourceOptions,
  Entity,
  ManyToOne,
  OneToMany,
  PrimaryGeneratedColumn,
  type RelationOptions,
  TableInheritance,
} from 'typeorm';
import { examineDriver } from '../src/commands/doctor/driver-check.js';

interface Shape {
  readonly key?: () => PropertyDecorator;
  readonly reference?: RelationOptions;
  readonly inverse?: RelationOptions;
  readonly hasChild?: boolean;
}

/** A note that refers to a content, of which a photo is a child entity. */
function entities({
  key = () => SnowflakeId() as PropertyDecorator,
  reference,
  inverse = { cascade: true },
  hasChild = true,
}: Shape): (new () => object)[] {
  @Entity()
  @TableInheritance({ column: { type: 'varchar', name: 'type' } })
  class Content {
    @key() id!: string;

    @OneToMany(() => Note, (note) => note.content, inverse)
    notes!: Note[];
  }

  @ChildEntity()
  class Photo extends Content {}

  @Entity()
  class Note {
    @SnowflakeId() id!: string;

    @ManyToOne(() => Content, (content) => content.notes, reference ?? {})
    content!: Content;
  }
  return hasChild ? [Content, Photo, Note] : [Content, Note];
}

async function found(shape: Shape): Promise<string[]> {
  const options: DataSourceOptions = {
    type: 'better-sqlite3',
    driver: libsql,
    database: ':memory:',
    prepareDatabase,
    entities: entities(shape),
  };
  const { findings } = await examineDriver(options, 20_000, true);
  return findings
    .filter(({ code }) => code === 'CASCADE_TO_CHILD_ENTITY')
    .flatMap(({ problem }) => /: (.*)\. The/.exec(problem)?.[1] ?? problem);
}

describe('the doctor on single-table inheritance', () => {
  it.each<[string, Shape]>([
    ['a cascade from the parent entity', {}],
    ['a cascade to the parent entity', { inverse: {}, reference: { cascade: true } }],
    ['a foreign key that is checked at once', { reference: { deferrable: 'INITIALLY IMMEDIATE' } }],
  ])('finds %s', async (_, shape) => {
    expect(await found(shape)).toEqual(['Note.content']);
  });

  it.each<[string, Shape]>([
    ['a required relation', { reference: { nullable: false } }],
    ['a deferred foreign key', { reference: { deferrable: 'INITIALLY DEFERRED' } }],
    ['no foreign key', { reference: { createForeignKeyConstraints: false } }],
    ['no cascade', { inverse: {} }],
    ['no child entity', { hasChild: false }],
    ['a key of the database', { key: () => PrimaryGeneratedColumn() }],
  ])('finds nothing with %s (control)', async (_, shape) => {
    expect(await found(shape)).toEqual([]);
  });
});
