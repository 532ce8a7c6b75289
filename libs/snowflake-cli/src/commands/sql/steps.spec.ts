import { connectedColumns } from './steps.js';

const column = (path: string) => {
  const [table = '', name = ''] = path.split('.');
  return { table, name };
};
const reference = (from: string, to: string) => ({ from: column(from), to: column(to) });
const pathsOf = (columns: readonly { table: string; name: string }[]): string[] =>
  columns.map(({ table, name }) => `${table}.${name}`);

describe('connectedColumns()', () => {
  it('follows foreign keys over tables without an entity, cycles and self references, in both directions', () => {
    const found = connectedColumns(
      [column('comment.userId')],
      [
        reference('log.commentOf', 'liked.userId'),
        reference('liked.userId', 'user.id'),
        reference('comment.userId', 'user.id'),
        reference('user.manager', 'user.id'),
        reference('user.best', 'comment.id'),
        reference('shop.country', 'country.code'),
      ],
    );
    expect(pathsOf(found).toSorted()).toEqual([
      'comment.userId',
      'liked.userId',
      'log.commentOf',
      'user.id',
      'user.manager',
    ]);
  });

  it('leaves the other columns of a composite foreign key as they are', () => {
    const composite = [
      reference('note.articleId', 'revision.articleId'),
      reference('note.number', 'revision.number'),
    ];
    expect(pathsOf(connectedColumns([column('revision.articleId')], composite))).toEqual([
      'revision.articleId',
      'note.articleId',
    ]);
  });

  it('keeps the declared attributes of a column', () => {
    const key = { ...column('user.id'), isKey: true };
    expect(connectedColumns([key], [reference('liked.userId', 'user.id')])[0]).toBe(key);
  });
});
