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
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { MarkdownPage, ROOT } from '../docs/markdown.js';

const TIMEOUT_MS = 60_000;
const PLACES =
  /^https:\/\/(?:github\.com\/[^/]+\/[^/]+\/blob|raw\.githubusercontent\.com\/[^/]+\/[^/]+)\/HEAD\/([^#]+)/;

interface Fields {
  readonly version: string;
  readonly scripts: Record<string, string>;
  readonly repository: { readonly url: string };
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const manifestText = read('libs/snowflake/package.json');
const manifest = JSON.parse(manifestText) as Fields;
const { workspaces: FOLDERS } = JSON.parse(read('package.json')) as {
  readonly workspaces: readonly string[];
};
/** What the check reads of each package. */
const OF_PACKAGES = FOLDERS.flatMap((folder) => [
  `${folder}/package.json`,
  `${folder}/CHANGELOG.md`,
  ...(folder === 'libs/snowflake' ? [] : [`${folder}/README.md`]),
]);

/** What the check of a release reads, by path. */
type Files = Readonly<Record<string, string | undefined>>;

const filled = (text: string): string => text.replaceAll('PLACEHOLDER', 'somebody');
const PAPERS = ['SECURITY.md', 'CODE_OF_CONDUCT.md', '.github/ISSUE_TEMPLATE/config.yml'];
/** A repository from which a release may go out. */
const READY: Files = {
  'package.json': JSON.stringify({ workspaces: FOLDERS }),
  'README.md': '',
  ...Object.fromEntries([...OF_PACKAGES, ...PAPERS].map((path) => [path, filled(read(path))])),
};

/** A workspace with the given files, and the scripts of the library. */
class Workspace {
  private readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-release-')));

  constructor(files: Files) {
    for (const scripts of ['libs/snowflake/scripts', 'scripts'])
      cpSync(join(ROOT, scripts), join(this.folder, scripts), { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      if (text === undefined) continue;
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), text);
    }
  }

  /** Runs a script. Resolves to what it printed as an error, if it failed. */
  run(script: string): Promise<string | undefined> {
    const args = [join(this.folder, script)];
    return promisify(execFile)(process.execPath, args, { timeout: TIMEOUT_MS }).then(
      () => undefined,
      ({ stderr }: { stderr: string }) => stderr,
    );
  }

  packedReadme(): string {
    return readFileSync(join(this.folder, 'libs/snowflake/README.md'), 'utf8');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const workspaces: Workspace[] = [];
function workspace(changes: Files = {}): Workspace {
  const made = new Workspace({ ...READY, ...changes });
  workspaces.push(made);
  return made;
}
afterAll(() => {
  for (const made of workspaces) made.remove();
});

describe('npm publish', () => {
  const refusalOf = (changes: Files): Promise<string | undefined> =>
    workspace(changes).run('scripts/release/check-release.mjs');

  it.each(FOLDERS)('runs the check of the release first in %s', (folder) => {
    const { scripts } = JSON.parse(read(`${folder}/package.json`)) as Fields;
    expect(scripts['prepublishOnly']).toBe('node ../../scripts/release/check-release.mjs');
  });

  it('npm publish goes on with an author and a repository (control)', async () => {
    expect(await refusalOf({})).toBeUndefined();
  });

  it.each(FOLDERS)('npm publish is refused while the manifest of %s has placeholders', async (folder) => {
    const placeholders = {
      ...manifest,
      author: 'PLACEHOLDER',
      homepage: 'https://github.com/PLACEHOLDER/ids',
      repository: { type: 'git', url: 'git+https://github.com/PLACEHOLDER/ids.git' },
      bugs: undefined,
    };
    expect(await refusalOf({ [`${folder}/package.json`]: JSON.stringify(placeholders) })).toContain(
      `- ${folder}/package.json still has placeholders in "author", "homepage", "repository", "bugs".`,
    );
  });

  it.each(PAPERS)('npm publish is refused while %s has no contact', async (path) => {
    expect(await refusalOf({ [path]: 'Write to `security@PLACEHOLDER`.' })).toContain(
      `- ${path} has no contact yet. Replace every PLACEHOLDER there.`,
    );
    expect(await refusalOf({ [path]: undefined })).toContain(`- ${path} is missing.`);
  });

  it('npm publish is refused while the README of a package has a placeholder', async () => {
    const readme = 'libs/snowflake-cli/README.md';
    expect(await refusalOf({ [readme]: 'https://github.com/PLACEHOLDER/ids' })).toContain(
      `- ${readme} still`,
    );
  });

  it('npm publish is refused while another file of .github has a placeholder', async () => {
    expect(await refusalOf({ '.github/workflows/release.yml': 'PLACEHOLDER' })).toContain(
      '- .github/workflows/release.yml has no contact yet.',
    );
  });

  it.each(['libs/snowflake/src/core/docs-url.ts', 'docs/operations/alert-rules.yml'])(
    'npm publish is refused while %s has no address of the site',
    async (path) => {
      expect(await refusalOf({ [path]: 'https://PLACEHOLDER.github.io/ids/' })).toContain(
        `- ${path} links to no site yet. Replace every PLACEHOLDER there.`,
      );
    },
  );

  it('npm publish is refused without provenance', async () => {
    const without = { ...JSON.parse(filled(manifestText)), publishConfig: { access: 'public' } } as object;
    expect(await refusalOf({ 'libs/snowflake/package.json': JSON.stringify(without) })).toContain(
      'Set "publishConfig": { "provenance": true }.',
    );
  });

  it.each(FOLDERS)('npm publish is refused when the changelog of %s lacks the version', async (folder) => {
    const path = `${folder}/CHANGELOG.md`;
    expect(await refusalOf({ [path]: '## 9.9.9\n' })).toContain(`- ${path} has no section "## 0.`);
    expect(await refusalOf({ [path]: undefined })).toContain(`- ${path} has no section "## 0.`);
  });

  it('npm publish is refused when the README links to a file that does not exist', async () => {
    const text = '[a](docs/a.md#b) [c](SECURITY.md) `[d](d.md)`';
    const refusal = (await refusalOf({ 'README.md': text })) ?? '';
    expect(refusal.split('\n').filter((line) => line.startsWith('- '))).toEqual([
      expect.stringContaining('docs/a.md'),
    ]);
  });

  it('npm publish is refused for this repository only for its placeholders', async () => {
    const links = Object.fromEntries(
      new MarkdownPage(read('README.md')).links
        .filter((link) => !/^(https?:|#)/.test(link))
        .map((link) => link.split('#')[0] ?? '')
        .filter((path) => existsSync(join(ROOT, path)))
        .map((path) => [path, '']),
    );
    const files = ['README.md', ...OF_PACKAGES, ...PAPERS];
    const refusal = await refusalOf({
      ...links,
      ...Object.fromEntries(files.map((path) => [path, read(path)])),
    });
    const problems = (refusal ?? '').split('\n').filter((line) => line.startsWith('- '));
    expect(problems.filter((line) => !/PLACEHOLDER|placeholders/.test(line))).toEqual([]);
  });
});

describe('the packed README', () => {
  it('has no link or picture that leads nowhere away from the repository', async () => {
    const packed = workspace({ 'README.md': read('README.md') });
    expect(await packed.run('libs/snowflake/scripts/pack-readme.mjs')).toBeUndefined();
    const { links } = new MarkdownPage(packed.packedReadme());
    expect(links.filter((link) => !/^(https?:|#)/.test(link))).toEqual([]);
    const files = links.flatMap((link) => PLACES.exec(link)?.[1] ?? []);
    expect(files).toEqual(
      expect.arrayContaining(['docs/explanation/safety.md', 'docs/assets/two-leases.svg']),
    );
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('shows pictures as files, links pages, and leaves code alone', async () => {
    const code = '`[a](b)`\n\n```md\n[a](docs/b.md)\n```\n';
    const packed = workspace({
      'README.md': `![x](docs/x.svg) [y](docs/y.md#z) [z](#z) [w](https://w.test/)\n\n${code}`,
    });
    expect(await packed.run('libs/snowflake/scripts/pack-readme.mjs')).toBeUndefined();
    expect(packed.packedReadme()).toBe(
      '![x](https://raw.githubusercontent.com/somebody/nestjs-snowflake/HEAD/docs/x.svg) ' +
        '[y](https://github.com/somebody/nestjs-snowflake/blob/HEAD/docs/y.md#z) [z](#z) [w](https://w.test/)\n\n' +
        code,
    );
  });
});
