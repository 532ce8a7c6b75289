import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Consumer } from './consumer.js';

/** A major version of the Nest CLI, which makes apps of the same version of Nest. */
export type NestCli = 11 | 12;
export type Files = Readonly<Record<string, string>>;

export const SNOWFLAKE_ID = /^\d{15,19}$/;
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

/** Apps as `nest new` makes them, of tests that run one after the other. */
export class GeneratedApps {
  private readonly made: { remove(): void }[] = [];
  private readonly latest = new Map<NestCli, Consumer>();

  /** Makes an app without packages. */
  async bare(cli: NestCli, settings: NodeJS.ProcessEnv = {}, ...flags: string[]): Promise<Consumer> {
    const folder = mkdtempSync(join(tmpdir(), 'snowflake-new-'));
    this.made.push({ remove: () => rmSync(folder, { recursive: true }) });
    const usual = ['--skip-install', '--skip-git', '--package-manager', 'npm', ...flags];
    await promisify(execFile)('npx', ['--yes', `@nestjs/cli@${cli}`, 'new', 'shop', ...usual], {
      cwd: folder,
    });
    const app = new Consumer(join(folder, 'shop'), settings);
    this.made.push(app);
    return app;
  }

  /**
   * Makes an app with its packages and more of them. It takes those of the latest app of the same version, which is of no use any more:
   * npm adds and removes what differs, in a fraction of the time.
   */
  async withPackages(
    cli: NestCli,
    packages: readonly string[] = [],
    settings: NodeJS.ProcessEnv = {},
    ...flags: string[]
  ): Promise<Consumer> {
    const app = await this.bare(cli, settings, ...flags);
    const before = this.latest.get(cli);
    this.latest.set(cli, app);
    if (before !== undefined)
      renameSync(join(before.folder, 'node_modules'), join(app.folder, 'node_modules'));
    await app.install(...packages);
    return app;
  }

  remove(): void {
    for (const each of this.made) each.remove();
  }
}

/** Writes files of an app. */
export function write(app: Consumer, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(app.folder, path)), { recursive: true });
    writeFileSync(join(app.folder, path), text);
  }
}

/** Replaces a text in a file, as a developer does. */
export function replace(app: Consumer, path: string, before: string, after: string): void {
  const text = readFileSync(join(app.folder, path), 'utf8');
  expect(text).toContain(before);
  write(app, { [path]: text.replace(before, after) });
}

/** Adds a controller or a provider to a module, with its import. */
export function addTo(
  app: Consumer,
  module: string,
  list: 'controllers' | 'providers',
  name: string,
  from: string,
): void {
  replace(app, module, `${list}: [`, `${list}: [${name}, `);
  replace(app, module, 'import { Module }', `import { ${name} } from '${from}';\nimport { Module }`);
}

/** Adds a controller that generates IDs to the module of an app that has been set up, and lets the app print its URL. */
export function serveIds(app: Consumer, folder: string, module: string, ending: '' | '.js'): void {
  write(app, { [`${folder}/ids.controller.ts`]: IDS_CONTROLLER });
  addTo(app, `${folder}/${module}.module.ts`, 'controllers', 'IdsController', `./ids.controller${ending}`);
  const main = readFileSync(join(app.folder, folder, 'main.ts'), 'utf8');
  const [, listen = ''] = /( *await app\.listen\(.*;\n)/.exec(main) ?? [];
  replace(app, `${folder}/main.ts`, listen, `${listen}console.log(await app.getUrl());\n`);
}

/** Starts an app that serves IDs, takes two of them, makes another visit, and stops it with a signal, which it obeys in good order. */
export async function expectIds(
  app: Consumer,
  file: string,
  visit: (url: string) => Promise<void> = async () => {},
): Promise<void> {
  const ended = await app.serve(file, async (url) => {
    const ids = await Promise.all([1, 2].map(async () => (await fetch(`${url}/ids`)).text()));
    for (const id of ids) expect(id).toMatch(SNOWFLAKE_ID);
    expect(ids[0]).not.toBe(ids[1]);
    await visit(url);
  });
  expect(ended).toMatchObject({ code: 0 });
}
