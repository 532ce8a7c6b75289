import { snowflakeColumn, snowflakeIdColumn, snowflakeSchema } from 'nestjs-snowflake/typeorm';
import {
  type DataSourceOptions,
  EntitySchema,
  type EntitySchemaColumnOptions,
  type EntitySchemaRelationOptions,
} from 'typeorm';

/** A version of an app in a migration from auto-increment, by what its keys are. */
export type BlogVersion = 'old' | 'bridge' | 'snowflake';

export type Kind = 'postgres' | 'mariadb' | 'better-sqlite3';

export interface Row {
  id: string | number;
}
export interface UserRow extends Row {
  name: string;
  manager?: Row | null;
  favorites?: Row[];
}
export interface ArticleRow extends Row {
  title: string;
  author?: Partial<UserRow> | null;
  best?: Row | null;
}
export interface CommentRow extends Row {
  body: string;
  article?: Partial<ArticleRow> | null;
  author?: Row | null;
}

/** The entities of a blog, whose schema no page shows: see {@link blog}. */
export interface Blog {
  readonly version: BlogVersion;
  readonly User: EntitySchema<UserRow>;
  readonly Article: EntitySchema<ArticleRow>;
  readonly Comment: EntitySchema<CommentRow>;
  readonly Follows: EntitySchema<Row & { followerId: Row['id']; followingId: Row['id'] }>;
  readonly Tag: EntitySchema<Row & { tag: string }>;
  readonly all: EntitySchema[];
}

type OnDelete = NonNullable<EntitySchemaRelationOptions['onDelete']>;

/**
 * Makes the entities of a blog: a self reference, a cycle, nullable references, a join table, references without a foreign
 * key, a composite key with a composite foreign key to it, a foreign key to a table that stays as it is, comments and
 * defaults, and three rules of ON DELETE.
 */
export function blog(version: BlogVersion, kind: Kind): Blog {
  const name = (entity: string): string => `${version} ${kind} ${entity}`;
  const key = (): EntitySchemaColumnOptions => {
    const comment = "it's a `key`, by AUTO_INCREMENT";
    if (version === 'snowflake') return Object.assign(snowflakeIdColumn(), { comment });
    const type = version === 'bridge' ? 'bigint' : kind === 'better-sqlite3' ? 'integer' : 'int';
    return { type, primary: true, generated: 'increment', comment };
  };
  const reference = (more: EntitySchemaColumnOptions | object = {}): EntitySchemaColumnOptions => {
    if (version === 'snowflake') return Object.assign(snowflakeColumn(), more);
    return { type: version === 'old' ? 'int' : 'bigint', ...more } as EntitySchemaColumnOptions;
  };
  const to = (
    entity: string,
    column: string,
    onDelete?: OnDelete,
    constraint = column,
  ): EntitySchemaRelationOptions => ({
    type: 'many-to-one',
    target: name(entity),
    joinColumn: { name: column, foreignKeyConstraintName: `blog_${constraint}` },
    nullable: true,
    onDelete,
  });
  const schema = <Entity>(
    entity: string,
    columns: Record<string, EntitySchemaColumnOptions>,
    relations: Record<string, EntitySchemaRelationOptions> = {},
  ): EntitySchema<Entity> => {
    const made = new EntitySchema<Entity>({
      name: name(entity),
      tableName: entity,
      columns: columns as never,
      relations: relations as never,
    });
    return version === 'snowflake' ? snowflakeSchema(made) : made;
  };
  const text: EntitySchemaColumnOptions = { type: 'varchar', length: 100 };
  const Country = schema('country', { code: { type: 'varchar', length: 2, primary: true } });
  const User = schema<UserRow>(
    'user',
    { id: key(), name: { ...text, unique: true } },
    {
      country: to('country', 'country'),
      manager: { ...to('user', 'managerId', 'SET NULL'), onUpdate: 'CASCADE' },
      favorites: {
        type: 'many-to-many',
        target: name('article'),
        joinTable: {
          name: 'user_favorites_article',
          joinColumn: { name: 'userId', foreignKeyConstraintName: 'blog_fan' },
          inverseJoinColumn: { name: 'articleId', foreignKeyConstraintName: 'blog_favorite' },
        },
      },
    },
  );
  const Article = schema<ArticleRow>(
    'article',
    { id: key(), title: { ...text, default: 'untitled' } },
    { author: to('user', 'authorId', 'CASCADE'), best: to('comment', 'bestId', 'SET NULL') },
  );
  const Comment = schema<CommentRow>(
    'comment',
    { id: key(), body: text },
    { article: to('article', 'articleId', 'CASCADE'), author: to('user', 'writerId') },
  );
  const Follows = schema<Row & { followerId: Row['id']; followingId: Row['id'] }>('follows', {
    id: key(),
    followerId: reference({ comment: 'no foreign key' }),
    followingId: reference(),
  });
  const Tag = schema<Row & { tag: string }>('tag', { id: key(), tag: text });
  const Revision = schema(
    'revision',
    { articleId: reference({ primary: true }), number: { type: 'int', primary: true } },
    { article: { ...to('article', 'articleId', 'CASCADE', 'revised'), nullable: false } },
  );
  const Note = schema(
    'note',
    { id: key(), text },
    {
      revision: {
        type: 'many-to-one',
        target: name('revision'),
        joinColumn: [
          { name: 'ofArticleId', referencedColumnName: 'articleId', foreignKeyConstraintName: 'blog_note' },
          { name: 'number', referencedColumnName: 'number', foreignKeyConstraintName: 'blog_note' },
        ],
        nullable: true,
        onDelete: 'RESTRICT',
      },
    },
  );
  const all = [Country, User, Article, Comment, Follows, Tag, Revision, Note] as EntitySchema[];
  return { version, User, Article, Comment, Follows, Tag, all };
}

/** The tables of {@link blog}, those first that others refer to. */
export const TABLES = [
  'country',
  'user',
  'article',
  'comment',
  'follows',
  'tag',
  'user_favorites_article',
  'revision',
  'note',
] as const;

/** Fills the tables with rows that have gaps between their keys, and references that are empty. */
export function seed(kind: Kind, count: number): string[] {
  const quote = kind === 'mariadb' ? '`' : '"';
  const q = (name: string): string => `${quote}${name}${quote}`;
  const cycle = (
    table: string,
    columns: string[],
    row: (at: number) => readonly (string | number | null)[],
  ) => {
    const rows = Array.from({ length: count }, (_, at) => row(at + 1));
    const values = rows.map(
      (each) =>
        `(${each.map((one) => (one === null ? 'NULL' : typeof one === 'string' ? `'${one}'` : one)).join(', ')})`,
    );
    return `INSERT INTO ${q(table)} (${columns.map(q).join(', ')}) VALUES ${values.join(', ')}`;
  };
  const one = (at: number): number => ((at * 7) % count) + 1;
  return [
    `INSERT INTO country VALUES ('de'), ('fr')`,
    cycle('user', ['name', 'country', 'managerId'], (at) => [
      `user ${at}`,
      at % 3 ? 'de' : null,
      at > 1 && at % 2 ? at - 1 : null,
    ]),
    cycle('article', ['title', 'authorId'], (at) => [`article ${at}`, at % 5 ? one(at) : null]),
    cycle('comment', ['body', 'articleId', 'writerId'], (at) => [
      `comment ${at}`,
      at % 7 ? one(at) : null,
      at % 4 ? one(at + 1) : null,
    ]),
    `UPDATE article SET ${q('bestId')} = id WHERE id % 3 = 0`,
    cycle('follows', ['followerId', 'followingId'], (at) => [at, one(at)]),
    cycle('tag', ['tag'], (at) => [`tag ${at}`]),
    cycle('user_favorites_article', ['userId', 'articleId'], (at) => [at, one(at)]),
    cycle('revision', ['articleId', 'number'], (at) => [at, at % 3]),
    cycle('note', ['text', 'ofArticleId', 'number'], (at) => [
      `note ${at}`,
      at % 2 ? at : null,
      at % 2 ? at % 3 : null,
    ]),
    'DELETE FROM comment WHERE id % 10 = 5',
    'DELETE FROM tag WHERE id % 4 = 0',
  ];
}

/** The options of a version's DataSource. */
export function optionsOf({ all }: Blog, options: DataSourceOptions, synchronize = false): DataSourceOptions {
  return { ...options, entities: all, synchronize } as DataSourceOptions;
}
