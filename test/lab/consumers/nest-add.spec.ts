import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Client } from 'pg';
import { databaseFor } from '../../support/servers/index.js';
import { LONG_TIMEOUTS } from './app-contract.js';
import { Consumer, STEP_WITHIN_MS } from './consumer.js';
import { addTo, expectIds, GeneratedApps, replace, serveIds, SNOWFLAKE_ID, write } from './generated-apps.js';
import { LocalRegistry } from './local-registry.js';
import { PRISMA_ENV } from './prisma-keys.js';

const apps = new GeneratedApps();
const holders: Consumer[] = [];
let registry: LocalRegistry;

beforeAll(async () => {
  registry = await LocalRegistry.with(['nestjs-snowflake', 'nestjs-snowflake-cli']);
}, STEP_WITHIN_MS);

afterAll(() => {
  registry?.close();
  apps.remove();
  for (const each of holders) each.remove();
});

/** Lets the package manager of an app find the packages of this repository. Before, it takes others from its cache. */
function useLocalRegistry(app: Consumer): void {
  write(app, { '.npmrc': `registry=${registry.url}\n` });
}

const nestAdd = (app: Consumer, ...flags: string[]) =>
  app.run('npx', 'nest', 'add', 'nestjs-snowflake', '--no-interactive', ...flags);

const readText = (app: Consumer, path: string): string => readFileSync(join(app.folder, path), 'utf8');

const TYPEORM_MODULE = `imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env.DATABASE_URL,
      autoLoadEntities: true,
      synchronize: true,
    }),
    TypeOrmModule.forFeature([Order]),
  ],`;
const ORDER = `import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('orders')
export class Order {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column()
  item!: string;
}
`;
const ORDERS_CONTROLLER = `import { Controller, Post } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Order } from './order.entity';

@Controller('orders')
export class OrdersController {
  constructor(@InjectRepository(Order) private readonly orders: Repository<Order>) {}
  @Post() create() {
    return this.orders.save({ item: 'PEN' });
  }
}
`;

describe('an app of Nest CLI 11, strict, with TypeORM and PostgreSQL', () => {
  it(
    'builds, passes its tests and generates IDs after nest add, whose second run changes nothing',
    async () => {
      const url = await databaseFor('postgres', 'nest-add');
      const packages = ['@nestjs/typeorm@11', 'typeorm@0.3', 'pg@8'];
      const app = await apps.withPackages(11, packages, { DATABASE_URL: url }, '--strict');
      write(app, { 'src/order.entity.ts': ORDER, 'src/orders.controller.ts': ORDERS_CONTROLLER });
      const module = 'src/app.module.ts';
      replace(app, module, 'imports: [],', TYPEORM_MODULE);
      addTo(app, module, 'controllers', 'OrdersController', './orders.controller');
      replace(
        app,
        module,
        'import { Module }',
        `import { TypeOrmModule } from '@nestjs/typeorm';
import { Order } from './order.entity';
import { Module }`,
      );

      useLocalRegistry(app);
      await nestAdd(app, '--entity', 'Order');
      expect(readText(app, 'src/ids/ids.module.ts')).toContain('inject: [DataSource]');
      expect((await nestAdd(app, '--skip-install')).stdout).toContain('Nothing to be done');

      serveIds(app, 'src', 'app', '');
      await app.script('build');
      expect(await app.script('test', ...LONG_TIMEOUTS.jest)).toContain('1 passed, 1 total');
      expect(await app.script('test:e2e', ...LONG_TIMEOUTS.jest)).toContain('1 passed, 1 total');
      await expectIds(app, 'dist/main.js', async (address) => {
        const order: unknown = await (await fetch(`${address}/orders`, { method: 'POST' })).json();
        expect(order).toEqual({ id: expect.stringMatching(SNOWFLAKE_ID), item: 'PEN' });
      });
    },
    STEP_WITHIN_MS,
  );
});

describe('an app of Nest CLI 11, not strict, among the projects of a monorepo', () => {
  it(
    'is set up by nest add --project, which leaves the other project as it was',
    async () => {
      const app = await apps.withPackages(11);
      await app.run('npx', 'nest', 'generate', 'app', 'mail');
      useLocalRegistry(app);
      const other = readText(app, 'apps/shop/src/app.module.ts');
      await nestAdd(app, '--project', 'mail');
      expect(readText(app, 'apps/shop/src/app.module.ts')).toBe(other);

      serveIds(app, 'apps/mail/src', 'mail', '');
      await app.run('npx', 'nest', 'build', 'mail');
      expect(await app.script('test', ...LONG_TIMEOUTS.jest)).toContain('2 passed, 2 total');
      await expectIds(app, 'dist/apps/mail/main.js');
    },
    STEP_WITHIN_MS,
  );
});

describe('an app of Nest CLI 12 without a database', () => {
  it(
    'builds, passes its tests and generates IDs after the command setup',
    async () => {
      const app = await apps.withPackages(12);
      useLocalRegistry(app);
      // npx keeps the packages that it has run: with a cache of its own, it runs these.
      const cache = join(app.folder, 'npx-cache');
      const cli = ['--yes', '--cache', cache, 'nestjs-snowflake-cli', 'setup', '--defaults'];
      const { stdout: diff } = await app.run('npx', ...cli, '--dry-run');
      expect(diff).toContain('+export class IdsModule {}');
      await app.run('npx', ...cli);
      serveIds(app, 'src', 'app', '.js');
      await app.script('build');
      expect(await app.script('test', ...LONG_TIMEOUTS.vitest)).toContain('1 passed (1)');
      expect(await app.script('test:e2e', ...LONG_TIMEOUTS.vitest)).toContain('1 passed (1)');
      await expectIds(app, 'dist/main.js');
    },
    STEP_WITHIN_MS,
  );
});

const PRISMA_FILES = {
  'prisma/schema.prisma': `generator client {
  provider = "prisma-client"
  output   = "../src/generated/prisma"
}

datasource db {
  provider = "postgresql"
}

model Order {
  id   Int    @id @default(autoincrement())
  item String
}
`,
  'prisma.config.ts': `import { defineConfig, env } from 'prisma/config';

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: env('SHOP_DATABASE_URL') },
});
`,
  'prisma/migrations/migration_lock.toml': 'provider = "postgresql"\n',
  'prisma/migrations/20260101000000_init/migration.sql':
    'CREATE TABLE "Order" ("id" SERIAL PRIMARY KEY, "item" TEXT NOT NULL);\n',
  'src/prisma.service.ts': `import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/prisma/client.js';

@Injectable()
export class PrismaService extends PrismaClient implements OnModuleInit {
  constructor() {
    super({ adapter: new PrismaPg({ connectionString: process.env.SHOP_DATABASE_URL }) });
  }
  async onModuleInit() {
    await this.order.create({ data: { item: 'PEN' } });
  }
}
`,
} as const;

/** A folder with the program pnpm, as users who have it installed. */
async function pnpmFolder(): Promise<string> {
  const holder = new Consumer();
  holders.push(holder);
  await holder.install('pnpm@10');
  return join(holder.folder, 'node_modules/.bin');
}

/** Runs the migrations of an app as `prisma migrate deploy` does, whose program is not on npm. */
async function migrate(app: Consumer, url: string): Promise<void> {
  const folder = join(app.folder, 'prisma/migrations');
  const names = readdirSync(folder).filter((name) => !name.endsWith('.toml'));
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    for (const name of names.sort())
      await client.query(readFileSync(join(folder, name, 'migration.sql'), 'utf8'));
  } finally {
    await client.end();
  }
}

describe('an app of Nest CLI 12 with pnpm, Prisma and PostgreSQL', () => {
  it(
    'builds, passes its tests and generates IDs after nest add, and the migration that it wrote',
    async () => {
      const url = await databaseFor('postgres', 'nest-add-prisma');
      const PATH = [await pnpmFolder(), process.env.PATH].join(delimiter);
      // Where CI is set, pnpm installs nothing that its lock file lacks.
      const app = await apps.bare(12, { ...PRISMA_ENV, PATH, SHOP_DATABASE_URL: url, CI: 'false' });
      const add = (...packages: string[]) =>
        app.run('pnpm', 'add', '--prefer-offline', '--ignore-scripts', ...packages);
      await add('@prisma/client@7.10.0', '@prisma/adapter-pg@7.10.0', 'prisma@7.10.1');
      write(app, PRISMA_FILES);
      await app.run('npx', 'prisma', 'generate');
      addTo(app, 'src/app.module.ts', 'providers', 'PrismaService', './prisma.service.js');

      useLocalRegistry(app);
      const { stdout } = await nestAdd(app);
      expect(stdout).toContain('prisma migrate deploy');
      await migrate(app, url);

      serveIds(app, 'src', 'app', '.js');
      await app.script('build');
      expect(await app.script('test', ...LONG_TIMEOUTS.vitest)).toContain('1 passed (1)');
      expect(await app.script('test:e2e', ...LONG_TIMEOUTS.vitest)).toContain('1 passed (1)');
      await expectIds(app, 'dist/main.js');
    },
    STEP_WITHIN_MS,
  );
});
