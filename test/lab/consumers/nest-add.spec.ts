import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { databaseFor } from '../../support/servers/index.js';
import { LONG_TIMEOUTS } from './app-contract.js';
import { Consumer, STEP_WITHIN_MS } from './consumer.js';
import { LocalRegistry } from './local-registry.js';

const SNOWFLAKE_ID = /^\d{15,19}$/;
const IDS_CONTROLLER = `import { Controller, Get } from '@nestjs/common';
import { SnowflakeIdMaker } from 'nestjs-snowflake';

@Controller('ids')
export class IdsController {
  constructor(private readonly ids: SnowflakeIdMaker) {}
  @Get() next() {
    return this.ids.nextId();
  }
}
`;

let registry: LocalRegistry;
const made: { remove(): void }[] = [];

beforeAll(async () => {
  registry = await LocalRegistry.with(['nestjs-snowflake', 'nestjs-snowflake-cli']);
}, STEP_WITHIN_MS);

afterAll(() => {
  registry?.close();
  for (const each of made) each.remove();
});

/** An app as `nest new` makes it, whose npm finds the packages of this repository in a registry. */
async function newApp(cli: 11 | 12, settings: NodeJS.ProcessEnv = {}, ...flags: string[]): Promise<Consumer> {
  const folder = mkdtempSync(join(tmpdir(), 'snowflake-new-'));
  made.push({ remove: () => rmSync(folder, { recursive: true }) });
  const usual = ['--skip-install', '--skip-git', '--package-manager', 'npm', ...flags];
  await promisify(execFile)('npx', ['--yes', `@nestjs/cli@${cli}`, 'new', 'shop', ...usual], { cwd: folder });
  const app = new Consumer(join(folder, 'shop'), { npm_config_registry: registry.url, ...settings });
  made.push(app);
  return app;
}

function write(app: Consumer, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(app.folder, path)), { recursive: true });
    writeFileSync(join(app.folder, path), text);
  }
}

/** Replaces a text in a file, as a developer does. */
function replace(app: Consumer, path: string, before: string, after: string): void {
  const text = readFileSync(join(app.folder, path), 'utf8');
  expect(text).toContain(before);
  write(app, { [path]: text.replace(before, after) });
}

/** Adds a controller that makes IDs to the module of an app that has been set up, and lets the app print its URL. */
function serveIds(app: Consumer, folder: string, ending: string): void {
  write(app, { [`${folder}/ids.controller.ts`]: IDS_CONTROLLER });
  const [module] = ['app', 'mail']
    .map((name) => `${folder}/${name}.module.ts`)
    .filter((path) => existsSync(join(app.folder, path)));
  replace(app, module!, 'controllers: [', 'controllers: [IdsController, ');
  replace(
    app,
    module!,
    'import { Module }',
    `import { IdsController } from './ids.controller${ending}';\nimport { Module }`,
  );
  printUrl(app, folder);
}

function printUrl(app: Consumer, folder: string): void {
  const [, listen = ''] =
    /( *await app\.listen\(.*;\n)/.exec(readFileSync(join(app.folder, folder, 'main.ts'), 'utf8')) ?? [];
  replace(app, `${folder}/main.ts`, listen, `${listen}console.log(await app.getUrl());\n`);
}

async function expectIds(app: Consumer, file: string, settings: NodeJS.ProcessEnv = {}): Promise<void> {
  const running = await app.start(file, settings);
  try {
    const ids = await Promise.all([1, 2].map(async () => (await fetch(`${running.url}/ids`)).text()));
    for (const id of ids) expect(id).toMatch(SNOWFLAKE_ID);
    expect(ids[0]).not.toBe(ids[1]);
    // The shutdown hook ends the process in good order.
    expect(await running.end('SIGTERM')).toMatchObject({ code: 0 });
  } finally {
    await running.end('SIGKILL');
  }
}

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

describe('an app of Nest CLI 11 with TypeORM and PostgreSQL', () => {
  it(
    'builds, passes its tests and makes IDs after nest add, whose second run changes nothing',
    async () => {
      const url = await databaseFor('postgres', 'nest-add');
      const app = await newApp(11, { DATABASE_URL: url }, '--strict');
      await app.install('@nestjs/typeorm@11', 'typeorm@0.3', 'pg@8');
      write(app, { 'src/order.entity.ts': ORDER, 'src/orders.controller.ts': ORDERS_CONTROLLER });
      replace(app, 'src/app.module.ts', 'imports: [],', TYPEORM_MODULE);
      replace(app, 'src/app.module.ts', 'controllers: [', 'controllers: [OrdersController, ');
      replace(
        app,
        'src/app.module.ts',
        'import { Module }',
        `import { TypeOrmModule } from '@nestjs/typeorm';
import { Order } from './order.entity';
import { OrdersController } from './orders.controller';
import { Module }`,
      );

      await app.run('npx', 'nest', 'add', 'nestjs-snowflake', '--no-interactive', '--entity', 'Order');
      expect(readFileSync(join(app.folder, 'src/ids/ids.module.ts'), 'utf8')).toContain(
        'inject: [DataSource]',
      );
      const again = await app.run(
        'npx',
        'nest',
        'add',
        'nestjs-snowflake',
        '--skip-install',
        '--no-interactive',
      );
      expect(again.stdout).toContain('Nothing to be done');

      serveIds(app, 'src', '');
      await app.script('build');
      expect(await app.script('test', ...LONG_TIMEOUTS.jest)).toContain('1 passed, 1 total');
      expect(await app.script('test:e2e', ...LONG_TIMEOUTS.jest)).toContain('1 passed, 1 total');
      await expectIds(app, 'dist/main.js');
      await app.serve('dist/main.js', async (address) => {
        const order = (await (await fetch(`${address}/orders`, { method: 'POST' })).json()) as {
          id: unknown;
        };
        expect(order).toEqual({ id: expect.stringMatching(SNOWFLAKE_ID), item: 'PEN' });
      });
    },
    STEP_WITHIN_MS,
  );
});

describe('an app of Nest CLI 12 without a database', () => {
  it(
    'builds, passes its tests and makes IDs after the command setup',
    async () => {
      const app = await newApp(12);
      await app.install();
      // npx keeps the packages that it has run: with a cache of its own, it runs these.
      const cache = join(app.folder, 'npx-cache');
      const cli = ['--yes', '--cache', cache, 'nestjs-snowflake-cli', 'setup', '--defaults'];
      const { stdout: diff } = await app.run('npx', ...cli, '--dry-run');
      expect(diff).toContain('+export class IdsModule {}');
      await app.run('npx', ...cli);
      serveIds(app, 'src', '.js');
      await app.script('build');
      expect(await app.script('test', ...LONG_TIMEOUTS.vitest)).toContain('1 passed (1)');
      expect(await app.script('test:e2e', ...LONG_TIMEOUTS.vitest)).toContain('1 passed (1)');
      await expectIds(app, 'dist/main.js');
    },
    STEP_WITHIN_MS,
  );
});
