import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MarkdownPage, ROOT } from '../docs/markdown.js';

const LIBRARY = join(ROOT, 'libs/snowflake');
const WITHIN_MS = 60_000;
const PLACES =
  /^https:\/\/(?:github\.com\/[^/]+\/[^/]+\/blob|raw\.githubusercontent\.com\/[^/]+\/[^/]+)\/HEAD\/([^#]+)/;

interface Fields {
  readonly scripts: Record<string, string>;
  readonly repository: { readonly url: string };
}

const manifestText = readFileSync(join(LIBRARY, 'package.json'), 'utf8');

/** A workspace with the given manifest, a README, and the scripts of the library. */
class Workspace {
  private readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-release-')));
  private readonly library = join(this.folder, 'libs/snowflake');

  constructor(manifest: string, readme: string) {
    mkdirSync(this.library, { recursive: true });
    cpSync(join(LIBRARY, 'scripts'), join(this.library, 'scripts'), { recursive: true });
    writeFileSync(join(this.library, 'package.json'), manifest);
    writeFileSync(join(this.folder, 'README.md'), readme);
  }

  /** Runs a script of the manifest. Resolves to what it printed as an error, if it failed. */
  run(script: string): Promise<string | undefined> {
    return promisify(execFile)('npm', ['run', script], { cwd: this.library, timeout: WITHIN_MS }).then(
      () => undefined,
      ({ stderr }: { stderr: string }) => stderr,
    );
  }

  packedReadme(): string {
    return readFileSync(join(this.library, 'README.md'), 'utf8');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const workspaces: Workspace[] = [];
function workspace(manifest: string, readme = ''): Workspace {
  const made = new Workspace(manifest, readme);
  workspaces.push(made);
  return made;
}
afterAll(() => {
  for (const made of workspaces) made.remove();
});

describe('npm publish', () => {
  it('runs the check of the release first', () => {
    expect((JSON.parse(manifestText) as Fields).scripts['prepublishOnly']).toBe(
      'node scripts/check-release.mjs',
    );
  });

  it('is refused while the manifest has placeholders, all of which it names', async () => {
    const placeholders = {
      ...(JSON.parse(manifestText) as Fields),
      author: 'PLACEHOLDER',
      homepage: 'https://github.com/PLACEHOLDER/ids',
      repository: { type: 'git', url: 'git+https://github.com/PLACEHOLDER/ids.git' },
      bugs: undefined,
    };
    expect(await workspace(JSON.stringify(placeholders)).run('prepublishOnly')).toContain(
      'package.json still has placeholders in "author", "homepage", "repository", "bugs". Replace',
    );
  });

  it('goes on with an author and a repository (control)', async () => {
    const filled = manifestText.replaceAll('PLACEHOLDER', 'somebody');
    expect(await workspace(filled).run('prepublishOnly')).toBeUndefined();
  });
});

describe('the packed README', () => {
  it('has no link or picture that leads nowhere away from the repository', async () => {
    const packed = workspace(manifestText, readFileSync(join(ROOT, 'README.md'), 'utf8'));
    expect(await packed.run('prepack')).toBeUndefined();
    const { links } = new MarkdownPage(packed.packedReadme());
    expect(links.filter((link) => !/^(https?:|#)/.test(link))).toEqual([]);
    const files = links.flatMap((link) => PLACES.exec(link)?.[1] ?? []);
    expect(files).toEqual(
      expect.arrayContaining(['docs/explanation/safety.md', 'docs/assets/id.svg', 'docs/bench/ids.svg']),
    );
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('shows pictures as files, links pages, and leaves code alone', async () => {
    const filled = manifestText.replaceAll('PLACEHOLDER', 'somebody');
    const code = '`[a](b)`\n\n```md\n[a](docs/b.md)\n```\n';
    const packed = workspace(
      filled,
      `![x](docs/x.svg) [y](docs/y.md#z) [z](#z) [w](https://w.test/)\n\n${code}`,
    );
    expect(await packed.run('prepack')).toBeUndefined();
    expect(packed.packedReadme()).toBe(
      '![x](https://raw.githubusercontent.com/somebody/nestjs-snowflake/HEAD/docs/x.svg) ' +
        '[y](https://github.com/somebody/nestjs-snowflake/blob/HEAD/docs/y.md#z) [z](#z) [w](https://w.test/)\n\n' +
        code,
    );
  });
});
