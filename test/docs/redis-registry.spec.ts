import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { firstRequest, granted } from '../integration/redis-store/requests.js';
import { KINDS, makeDatabase } from '../integration/sql-store/support/databases.js';
import { MarkdownPage } from './markdown.js';

const page = MarkdownPage.read('docs/operations/redis-registry.md');

describe('the page on what lies in the store', () => {
  it('explains each field that it shows', () => {
    const [example] = page.blocksIn('text');
    const [, ...lines] = example!.text.trimEnd().split('\n');
    const fields = lines.map((line) => line.split(' ')[0]).filter((field) => !/^\d+$/.test(field ?? ''));
    expect(page.codesUnder('In Redis')).toEqual(fields);
  });

  it.each(KINDS)('lists the columns and the holders of %s', async (kind) => {
    const database = await makeDatabase(kind, 'registry-page');
    const store = sqlLeaseStore({ dataSource: database.options, namespace: 'shop', createTable: true });
    try {
      await store.open?.({ callTimeoutMs: 10_000 });
      await granted(store.lease(firstRequest('0123456789abcdef:web-1/17')));
      const runner = database.admin.createQueryRunner();
      const table = await runner.getTable('snowflake_lease_namespace');
      await runner.release();
      expect(page.codesUnder('SQL tables').sort()).toEqual(
        expect.arrayContaining(table!.columns.map(({ name }) => name).sort()),
      );
      const [query] = page.blocksIn('sql');
      expect(await database.admin.query(query!.text)).toEqual([
        expect.objectContaining({ fencing_token: expect.stringContaining(':web-1/17@') }),
      ]);
    } finally {
      await store.close();
      await database.remove();
    }
  });
});
