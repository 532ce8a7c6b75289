import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { storeOfApp } from '../src/commands/stores/store-of-app.js';
import { setUp } from '../src/commands/setup/set-up.js';
import type { SetupFlags } from '../src/commands/setup.js';
import type { Terminal } from '../src/frame/terminal.js';
import { MemoryTerminal } from './memory-terminal.js';

const COMPILER = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
const APP: Readonly<Record<string, string>> = {
  '.gitignore': 'node_modules\n',
  'package.json': `{
  "name": "shop",
  "scripts": {
    "start:dev": "nest start --watch"
  },
  "dependencies": {
    "@nestjs/core": "^12.0.0"
  }
}
`,
  'src/main.ts': `import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

const app = await NestFactory.create(AppModule);
await app.listen(3000);
`,
  'src/app.module.ts': `import { Module } from '@nestjs/common';

@Module({ imports: [] })
export class AppModule {}
`,
};

const folders: string[] = [];
afterAll(() => folders.forEach((each) => rmSync(each, { recursive: true })));

/** An app in a folder of its own, with the compiler of this workspace, all of it committed. */
function newApp(files = APP): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-setup-')));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(COMPILER, join(folder, 'node_modules/typescript'));
  git(folder, 'init', '--quiet');
  commit(folder);
  return folder;
}

function git(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' });
}

function commit(folder: string): void {
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'all');
}

const changed = (folder: string): string => git(folder, 'status', '--porcelain', '--untracked-files=all');

const nextOf = (printed: string): string[] => printed.split('\n').filter((line) => line.startsWith('Next: '));

async function run(
  folder: string,
  flags: Partial<SetupFlags> = {},
  answers?: readonly string[],
): Promise<MemoryTerminal> {
  const terminal = new MemoryTerminal(answers);
  const isKeyboard = answers !== undefined;
  Object.assign(terminal, { isInputInteractive: isKeyboard, isErrorInteractive: isKeyboard });
  await setUp({ install: false, ...flags }, folder, terminal as Terminal);
  return terminal;
}

describe('setup', () => {
  it('changes an app once, and finds nothing to do when it runs again', async () => {
    const folder = newApp();
    const first = await run(folder);
    expect(first.exitCode).toBe(0);
    expect(first.output).toContain('Created src/ids/ids.module.ts');
    expect(first.output).toContain('Next: Install nestjs-snowflake: npm install');
    expect(readFileSync(join(folder, 'src/app.module.ts'), 'utf8')).toContain("from './ids/ids.module.js'");
    commit(folder);
    const second = await run(folder);
    // As any command that brings an app into a state: `setup && npm run build` goes on.
    expect(second.exitCode).toBe(0);
    expect(second.errors).toContain('Nothing to do');
    expect(changed(folder)).toBe('');
  });

  it.each([{}, { store: 'redis' }, { store: 'sql' }] as const)(
    'prints with --dry-run the diff of what it does with %j, and changes nothing',
    async (flags) => {
      const [folder, twin] = [newApp(), newApp()];
      const { output, errors } = await run(folder, { ...flags, dryRun: true });
      expect(changed(folder)).toBe('');
      writeFileSync(join(folder, 'setup.diff'), output);
      git(folder, 'apply', 'setup.diff');
      rmSync(join(folder, 'setup.diff'));
      const done = await run(twin, flags);
      expect(changed(folder)).toBe(changed(twin));
      expect(git(folder, 'diff')).toBe(git(twin, 'diff'));
      expect(nextOf(errors)).not.toEqual([]);
      // It doesn't name the installation, which the command itself does.
      expect(nextOf(done.output).slice(1)).toEqual(nextOf(errors));
    },
  );

  const withPackage = (name: string): string =>
    APP['package.json']!.replace('"dependencies": {', `"dependencies": {\n    "${name}": "*",`);

  it.each([
    [
      'TypeORM',
      {
        'package.json': withPackage('typeorm'),
        'src/app.module.ts': `import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

@Module({ imports: [TypeOrmModule.forRoot({ type: 'postgres', url: process.env.PG_URL })] })
export class AppModule {}
`,
      },
      {},
    ],
    [
      'Prisma',
      {
        'package.json': withPackage('@prisma/client'),
        'prisma/schema.prisma': 'datasource db {\n  provider = "postgresql"\n  url = env("PG_URL")\n}\n',
      },
      { schema: 'snowflake' },
    ],
  ])('writes a store for %s that init finds', async (_, files, more) => {
    const folder = newApp({ ...APP, ...files });
    expect((await run(folder)).exitCode).toBe(0);
    const found = { database: 'postgres://db/shop', namespace: 'shop', epoch: '2024-01-01T00:00:00Z' };
    expect(storeOfApp(folder, { PG_URL: found.database })).toEqual({ ...found, ...more });
  });

  it('refuses a tree with uncommitted changes, unless forced', async () => {
    const folder = newApp();
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    const before = changed(folder);
    const refused = await run(folder);
    expect(refused).toMatchObject({ exitCode: 1, output: '' });
    expect(refused.errors).toContain('notes.txt');
    expect(changed(folder)).toBe(before);
    expect((await run(folder, { force: true })).exitCode).toBe(0);
  });

  it('changes an app in which a package has just been installed', async () => {
    const folder = newApp();
    writeFileSync(
      join(folder, 'package.json'),
      APP['package.json']!.replace('"name"', '"private": true, "name"'),
    );
    writeFileSync(join(folder, 'package-lock.json'), '{}');
    expect((await run(folder)).exitCode).toBe(0);
  });

  it('leaves an app that it does not understand untouched, and prints the lines to add', async () => {
    const folder = newApp({ ...APP, 'src/main.ts': 'start();\n' });
    const { exitCode, output, errors } = await run(folder);
    expect(exitCode).toBe(1);
    expect(errors).toContain('src/main.ts');
    expect(output).toContain('export class IdsModule {}');
    expect(changed(folder)).toBe('');
  });

  it('leaves an app without a usable compiler untouched', async () => {
    const folder = newApp();
    rmSync(join(folder, 'node_modules'), { recursive: true });
    expect(await run(folder)).toMatchObject({ exitCode: 1 });
    expect(changed(folder)).toBe('');
  });

  it('asks two questions, which an empty line answers by the default', async () => {
    const folder = newApp();
    const { errors } = await run(folder, {}, ['redis', '']);
    expect(errors.match(/\]: /g)).toHaveLength(2);
    const module = readFileSync(join(folder, 'src/ids/ids.module.ts'), 'utf8');
    expect(module).toContain('redisLeaseStore');
    expect(module).toContain("namespace: 'shop'");
  });

  it.each([
    ['--defaults', { defaults: true }],
    ['answers in its flags', { store: 'redis', namespace: 'x' }],
  ] as const)('asks nothing with %s', async (_, flags) => {
    expect((await run(newApp(), flags, [])).errors).toBe('');
  });

  it('changes nothing if an answer is no store', async () => {
    const folder = newApp();
    await expect(run(folder, {}, ['mongo'])).rejects.toThrow('mongo');
    expect(changed(folder)).toBe('');
  });
});
