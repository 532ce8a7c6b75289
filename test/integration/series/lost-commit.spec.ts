import { SeriesSubscriber } from 'nestjs-snowflake/series';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { CuttingProxy } from './support/cutting-proxy.js';
import { openShop, optionsFor, type Shop } from './support/invoices.js';

const DATE = '2026-03-01';
const ROWS = 'CREATE TABLE papers (id varchar(36) PRIMARY KEY, number varchar(64) NOT NULL)';

/** What an app does in one transaction: a number, and a row with it unless the row is there. */
async function writePaper(
  { series }: Shop,
  dataSource: DataSource,
  scope: string,
  id: string,
  document?: string,
): Promise<string> {
  return series.transaction(dataSource, async (manager) => {
    const { text } = await series.next('order', { manager, scope, date: DATE, document });
    const found: unknown[] = await manager.query(`SELECT id FROM papers WHERE id = '${id}'`);
    if (found.length === 0) await manager.query(`INSERT INTO papers VALUES ('${id}', '${text}')`);
    return text;
  });
}

describe.each(['postgres', 'mariadb', 'mysql'] as const)(
  'a transaction whose COMMIT is not answered, on %s [promise: series]',
  (driver) => {
    let shop: Shop;
    let proxy: CuttingProxy;
    let remote: DataSource;

    beforeAll(async () => {
      const name = `series_lost_${driver}`;
      shop = await openShop(driver, name);
      await shop.dataSource.query(ROWS);
      const [options] = await optionsFor(driver, name);
      const url = new URL(String((shop.dataSource.options as { url?: string }).url));
      proxy = await CuttingProxy.start(Number(url.port));
      url.port = String(proxy.port);
      const subscribers = [SeriesSubscriber];
      remote = new DataSource({ ...options, url: url.href, subscribers } as DataSourceOptions);
      await remote.initialize();
    });
    afterAll(async () => {
      await remote?.destroy();
      await proxy?.stop();
      await shop?.close();
    });

    /** Fails in the COMMIT, which the database has done, and runs the same transaction again. */
    async function lostAndRepeated(scope: string, document?: string): Promise<string> {
      const id = `${scope}-1`;
      const before = proxy.cuts;
      proxy.cutNextCommit();
      await expect(writePaper(shop, remote, scope, id, document)).rejects.toThrow(
        /terminated|closed|ended|reset/i,
      );
      expect(proxy.cuts).toBe(before + 1);
      const [row] = (await shop.dataSource.query(`SELECT number FROM papers WHERE id = '${id}'`)) as {
        number: string;
      }[];
      expect(row?.number).toBe('INV-2026-00001');
      return writePaper(shop, remote, scope, id, document);
    }

    const next = (scope: string): Promise<string> => writePaper(shop, remote, scope, `${scope}-2`);

    it('gives a transaction that is run again the number that its document has', async () => {
      expect(await lostAndRepeated('kept', 'paper-1')).toBe('INV-2026-00001');
      expect(await next('kept')).toBe('INV-2026-00002');
    });

    it('gives a transaction that is run again another number without the document (control)', async () => {
      expect(await lostAndRepeated('lost')).toBe('INV-2026-00002');
      expect(await next('lost')).toBe('INV-2026-00003');
    });
  },
);
