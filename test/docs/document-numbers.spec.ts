import 'reflect-metadata';
import type { INestApplicationContext, Type } from '@nestjs/common';
import {
  CreateSnowflakeSeriesTables1767225600010,
  Series,
  type SeriesAudit,
  SeriesSubscriber,
} from 'nestjs-snowflake-series';
import { DataSource } from 'typeorm';
import { optionsFor } from '../../libs/snowflake-series/test/support/invoices.js';
import { HttpApp } from '../adapters/http-apps.js';
import { boot } from '../support/boot.js';
import { databaseFor } from '../support/servers/index.js';
import { applyDiff } from './apply-diff.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';

interface Invoice {
  readonly id: string;
  readonly tenantId: string;
  readonly issuedOn: string;
  readonly number: string;
}

interface InvoicesController {
  create(tenantId: string, issuedOn: string): Promise<Invoice>;
}

interface QuotesService {
  draft(): Promise<{ readonly id: string }>;
  issue(quoteId: string): Promise<string>;
}

const guide = new PageCode('docs/guides/document-numbers.md');
const reference = new PageCode('docs/reference/series.md');
const [diff = ''] = guide.page.blocksIn('diff').map(({ text }) => text);

describe('the app of the guide', () => {
  let http: HttpApp;
  let invoices: InvoicesController;
  beforeAll(async () => {
    process.env.DATABASE_URL = await databaseFor('postgres', 'document_numbers');
    const module = await guide.run<Type>('src/app.module.ts', 'AppModule');
    http = await HttpApp.start('Express', module);
    type Controller = Type<InvoicesController>;
    invoices = http.app.get(await guide.run<Controller>('src/invoices.controller.ts', 'InvoicesController'));
  });
  afterAll(() => http?.stop());

  const issue = async (tenantId: string, issuedOn = '2026-12-31'): Promise<string> =>
    (await invoices.create(tenantId, issuedOn)).number;

  it('answers the request of the page as the page shows', async () => {
    const [shown = ''] = guide.page.blocksIn('console').map(({ text }) => text);
    const fields = [...shown.matchAll(/ -d (\S+)/g)].map(([, field = '']) => field);
    const body = new URLSearchParams(fields.join('&'));
    const response = await fetch(`${http.url}/invoices`, { method: 'POST', body });
    const answer = JSON.parse(shown.split('\n')[1] ?? '') as Invoice;
    expect(await response.json()).toEqual({ ...answer, id: expect.stringMatching(/^\d{17,19}$/) as string });
  });

  it('numbers invoices per tenant and year', async () => {
    expect(await issue('umbrella')).toBe('INV-2026-00001');
    expect(await issue('umbrella')).toBe('INV-2026-00002');
    expect(await issue('globex')).toBe('INV-2026-00001');
    expect(await issue('umbrella', '2027-01-01')).toBe('INV-2027-00001');
  });

  it('gives the number of a transaction that is rolled back to the next invoice', async () => {
    const Invoice = await guide.run<Type<Invoice>>('src/invoice.entity.ts', 'Invoice');
    const taken: string[] = [];
    const failing = http.app.get(Series).transaction(http.app.get(DataSource), async (manager) => {
      const draft = Object.assign(new Invoice(), { tenantId: 'hooli', issuedOn: '2026-12-31' });
      taken.push((await manager.save(draft)).number);
      throw new Error('the payment failed');
    });
    await expect(failing).rejects.toThrow('the payment failed');
    expect([...taken, await issue('hooli')]).toEqual(['INV-2026-00001', 'INV-2026-00001']);
  });

  it('explains a voided invoice in the audit', async () => {
    const number = await issue('initech', '2026-05-01');
    const [series, dataSource] = [http.app.get(Series), http.app.get(DataSource)];
    const reason = 'wrong customer';
    await series.transaction(dataSource, (manager) =>
      series.void('invoice', number, { manager, scope: 'initech', reason }),
    );
    const { manager } = dataSource;
    expect(await series.audit('invoice', { manager, scope: 'initech' })).toMatchObject([
      { gaps: [], duplicates: [], withoutDocument: [], voided: [{ text: 'INV-2026-00001', reason }] },
    ]);
  });
});

describe('the app of the guide, with drafts', () => {
  const imports = `import { Quote } from './quote.entity.js';
import { QuotesService } from './quotes.service.js';`;
  const project = guide.changed((text, file) =>
    file === 'src/app.module.ts' ? applyDiff(diff, text).replace('\n@Module', `${imports}\n\n@Module`) : text,
  );
  let app: INestApplicationContext;
  let quotes: QuotesService;
  beforeAll(async () => {
    process.env.DATABASE_URL = await databaseFor('postgres', 'document_numbers_drafts');
    await guide.import('src/quote.entity.ts');
    await guide.import('src/quotes.service.ts');
    app = await boot(await project.run<Type>('src/app.module.ts', 'AppModule'));
    quotes = app.get(await project.run<Type<QuotesService>>('src/quotes.service.ts', 'QuotesService'));
  });
  afterAll(() => app?.close());

  it('numbers a draft when it is issued, and once', async () => {
    const [a, b] = [await quotes.draft(), await quotes.draft()];
    const numbers = await Promise.all([a, b, a, b].map(({ id }) => quotes.issue(id)));
    expect(numbers.slice(2)).toEqual(numbers.slice(0, 2));
    expect(new Set(numbers).size).toBe(2);
    expect(numbers[0]).toMatch(/^Q\d{6}-000\d$/);
  });
});

describe.each(['sqlite', 'postgres', 'mariadb'] as const)(
  'the numbers that a business has, on %s',
  (driver) => {
    const series = new Series();
    let dataSource: DataSource;
    let removeFiles: () => void;
    let ids = 0;

    beforeEach(async () => {
      const [options, remove] = await optionsFor(driver, `document_numbers_${driver}`);
      removeFiles = remove;
      dataSource = await new DataSource({
        ...options,
        entities: [await guide.run('src/invoice.entity.ts', 'Invoice')],
        subscribers: [SeriesSubscriber],
        migrations: [
          CreateSnowflakeSeriesTables1767225600010,
          await reference.run('import-invoice-numbers.ts', 'ImportInvoiceNumbers1767225700000'),
        ],
        synchronize: true,
        dropSchema: true,
      }).initialize();
    });
    afterEach(async () => {
      await dataSource.destroy();
      removeFiles();
    });

    /** Writes invoices as the old version of the app has numbered them. */
    async function numberedBefore(tenant: string, year: number, numbers: readonly number[]): Promise<void> {
      for (const number of numbers) {
        const text = `INV-${year}-${String(number).padStart(5, '0')}`;
        await dataSource.query(
          `INSERT INTO invoices (id, tenant_id, issued_on, number) VALUES (${++ids}, '${tenant}', '${year}-03-01', '${text}')`,
        );
      }
    }

    function issue(tenantId: string): Promise<string> {
      return series.transaction(dataSource, async (manager) => {
        const invoice: Partial<Invoice> = { id: String(++ids), tenantId, issuedOn: '2026-12-01' };
        await manager.insert('Invoice', invoice);
        return invoice.number ?? '';
      });
    }

    const auditOf = async (scope: string): Promise<SeriesAudit | undefined> =>
      (await series.audit('invoice', { manager: dataSource.manager, scope }))[0];

    /** Runs the statement of the page that contains these words. */
    async function run(words: string): Promise<void> {
      const found = [guide, reference]
        .flatMap(({ page }) => page.blocksIn('sql'))
        .filter(({ text }) => text.includes(words));
      expect(found).toHaveLength(1);
      await dataSource.query(found[0]?.text.trim().replace(/;$/, '') ?? '');
    }

    it('continues the numbers that the migration of the page imports, and explains them', async () => {
      const withGap = [...Array(16).keys()].map((at) => at + 1).concat(18);
      await numberedBefore('acme', 2026, withGap);
      await numberedBefore('globex', 2025, [1, 2]);
      await dataSource.runMigrations();
      expect([await issue('acme'), await issue('acme'), await issue('globex')]).toEqual([
        'INV-2026-00019',
        'INV-2026-00020',
        'INV-2026-00001',
      ]);
      expect(await auditOf('acme')).toMatchObject({
        last: 20,
        gaps: [{ from: 17, to: 17 }],
        withoutDocument: [],
        duplicates: [],
      });
      await run('canceled in the old system');
      expect(await auditOf('acme')).toMatchObject({ gaps: [], voided: [{ text: 'INV-2026-00017' }] });
    });

    it('begins at 1 without the import, and so at a number that an invoice has (control)', async () => {
      await numberedBefore('acme', 2026, [1]);
      await dataSource.runMigrations();
      await dataSource.undoLastMigration();
      expect(await issue('globex')).toBe('INV-2026-00001');
      await expect(issue('acme')).rejects.toThrow();
      await expect(issue('acme')).rejects.toThrow();
    });

    it('continues behind the counter that the statement of the page sets', async () => {
      await dataSource.runMigrations();
      await run('1842');
      expect(await issue('acme')).toBe('INV-2026-01843');
      expect(await auditOf('acme')).toMatchObject({ gaps: [{ from: 1, to: 1842 }], withoutDocument: [] });
    });

    it('continues behind the numbers that were seen before a backup was restored', async () => {
      await dataSource.runMigrations();
      expect(await issue('acme')).toBe('INV-2026-00001');
      await run('1900');
      expect(await issue('acme')).toBe('INV-2026-01901');
    });

    if (driver === 'postgres') {
      it('takes numbers with the rights that the page grants', async () => {
        await dataSource.runMigrations();
        await dataSource.query(
          'DO $$ BEGIN CREATE ROLE shop; EXCEPTION WHEN duplicate_object THEN NULL; END $$',
        );
        const take = (): Promise<number> =>
          series.transaction(dataSource, async (manager) => {
            await manager.query('SET LOCAL ROLE shop');
            const place = { manager, scope: 'acme', date: '2026-12-01', document: 'a' };
            return (await series.next('invoice', place)).number;
          });
        await expect(take()).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_REJECTED' });
        await run('GRANT');
        expect([await take(), await take()]).toEqual([1, 1]);
      });
    }
  },
);

testThatAllHaveRun(guide, reference);
