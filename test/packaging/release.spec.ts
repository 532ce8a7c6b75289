import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withAbsoluteLinks } from '../../scripts/release/readme-links.mjs';
import { MarkdownPage, ROOT } from '../docs/markdown.js';

const REPOSITORY = 'https://github.com/somebody/nestjs-snowflake';
const PLACES =
  /^https:\/\/(?:github\.com\/[^/]+\/[^/]+\/blob|raw\.githubusercontent\.com\/[^/]+\/[^/]+)\/HEAD\/([^#]+)/;

describe('this repository', () => {
  it('lacks nothing for a release but the names of its publisher', async () => {
    const check = [join(ROOT, 'scripts/release/check-release.mjs')];
    const { stderr } = await promisify(execFile)(process.execPath, check).catch(
      (refusal: unknown) => refusal as { readonly stderr: string },
    );
    const problems = stderr.split('\n').filter((line) => line.startsWith('- '));
    // Else it broke down, and named no problem.
    expect(stderr === '' || problems.length > 0).toBe(true);
    expect(problems.filter((line) => !line.includes('publisher.json'))).toEqual([]);
  });
});

describe('the packed README', () => {
  it('has no link or picture that leads nowhere away from the repository', () => {
    const packed = withAbsoluteLinks(readFileSync(join(ROOT, 'README.md'), 'utf8'), REPOSITORY);
    const { links } = new MarkdownPage(packed);
    expect(links.filter((link) => !/^(https?:|#)/.test(link))).toEqual([]);
    const files = links.flatMap((link) => PLACES.exec(link)?.[1] ?? []);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('shows pictures as files, links pages, and leaves code alone', () => {
    const code = '`[a](b)`\n\n```md\n[a](docs/b.md)\n```\n';
    const text = `![x](docs/x.svg) [y](docs/y.md#z) [z](#z) [w](https://w.test/)\n\n${code}`;
    expect(withAbsoluteLinks(text, REPOSITORY)).toBe(
      '![x](https://raw.githubusercontent.com/somebody/nestjs-snowflake/HEAD/docs/x.svg) ' +
        '[y](https://github.com/somebody/nestjs-snowflake/blob/HEAD/docs/y.md#z) [z](#z) [w](https://w.test/)\n\n' +
        code,
    );
  });
});
