import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { SeriesAudit } from 'nestjs-snowflake-series';
import { databaseFor } from '../support/servers/index.js';
import { MarkdownPage, ROOT } from './markdown.js';
import { PageCode } from './page-code.js';

interface Invoice {
  readonly number: string;
}

interface BillingService {
  invoice(tenantId: string, issuedOn: string): Promise<Invoice>;
  receipt(orderId: string): Promise<string>;
  cancel(invoice: Invoice, reason: string): Promise<void>;
  audit(tenantId: string): Promise<SeriesAudit[]>;
}

/** What `npm run bench:series` wrote. */
interface Measured {
  readonly data: readonly {
    readonly database: string;
    readonly byWay: Record<string, { readonly oneAtATime: number; readonly eightAtATime: number }>;
  }[];
}

describe('the costs on the page', () => {
  it('the table has the costs of the last run of bench:series', () => {
    const { data } = JSON.parse(readFileSync(`${ROOT}/docs/bench/series.json`, 'utf8')) as Measured;
    const [table] = MarkdownPage.read('docs/guides/document-numbers.md').tablesUnder('What it costs');
    expect(table?.rows).toEqual(
      data.map(({ database, byWay }) => [
        database,
        ...Object.values(byWay).map(({ oneAtATime, eightAtATime }) =>
          [oneAtATime, eightAtATime].map((rate) => rate.toLocaleString('en-US')).join(' / '),
        ),
      ]),
    );
  });
});

describe('the app of the page', () => {
  const code = new PageCode('docs/guides/document-numbers.md');
  let app: INestApplicationContext;
  let billing: BillingService;
  beforeAll(async () => {
    process.env.DATABASE_URL = await databaseFor('postgres', 'document_numbers');
    await code.import('invoice.entity.ts');
    const Service = await code.run<Type<BillingService>>('billing.service.ts', 'BillingService');
    const module = await code.run<Type>('app.module.ts', 'AppModule');
    app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    billing = app.get(Service);
  });
  afterAll(async () => {
    await app?.close();
    code.remove();
  });

  it('numbers invoices per tenant and year', async () => {
    expect((await billing.invoice('acme', '2026-12-31')).number).toBe('INV-2026-00001');
    expect((await billing.invoice('acme', '2026-12-31')).number).toBe('INV-2026-00002');
    expect((await billing.invoice('globex', '2026-12-31')).number).toBe('INV-2026-00001');
    expect((await billing.invoice('acme', '2027-01-01')).number).toBe('INV-2027-00001');
  });

  it('gives an order one receipt', async () => {
    const numbers = await Promise.all(['a', 'b', 'a', 'b'].map((order) => billing.receipt(order)));
    expect(numbers.slice(2)).toEqual(numbers.slice(0, 2));
    expect(new Set(numbers).size).toBe(2);
    expect(numbers[0]).toMatch(/^R\d{6}-000\d$/);
  });

  it('explains a canceled invoice in the audit', async () => {
    const invoice = await billing.invoice('initech', '2026-05-01');
    await billing.cancel(invoice, 'wrong customer');
    expect(await billing.audit('initech')).toMatchObject([
      {
        gaps: [],
        duplicates: [],
        withoutDocument: [],
        voided: [{ text: 'INV-2026-00001', reason: 'wrong customer' }],
      },
    ]);
  });

  it('the spec has run every file of the page', () => expect(code.notRun()).toEqual([]));
});
