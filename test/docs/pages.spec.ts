import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FINDING_KINDS } from '../../libs/snowflake-cli/src/commands/doctor/findings.js';
import { REFUSAL_CODES } from '../../libs/snowflake-service/src/requests/request-refusal.js';
import { codeIn, MarkdownPage, ROOT } from './markdown.js';
import { PAGES, SKILLS } from './pages.js';

const pages = new Map(PAGES.map((path) => [path, MarkdownPage.read(path)]));

/** The links of a page that lead nowhere in this repository. */
function deadLinks(path: string, page: MarkdownPage): string[] {
  return page.links.filter((target) => {
    if (URL.canParse(target)) return new URL(target).protocol !== 'https:';
    const [file = '', anchor] = target.split('#');
    const linked = file === '' ? path : join(dirname(path), file);
    if (!existsSync(join(ROOT, linked))) return true;
    if (anchor === undefined || !linked.endsWith('.md')) return false;
    return !(pages.get(linked) ?? MarkdownPage.read(linked)).anchors.includes(anchor);
  });
}

describe.each(PAGES)('%s', (path) => {
  const page = pages.get(path)!;

  it('has no link that leads nowhere', () => {
    expect(deadLinks(path, page)).toEqual([]);
    expect(new Set(page.anchors).size).toBe(page.anchors.length);
  });

  it('names files that exist', () => {
    const files = codeIn(page.prose).filter((code) => /^(apps|libs|test|docs)\/[\w./-]+$/.test(code));
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('puts the kind of an alert on a line of its own, else GitHub shows it as a quote', () => {
    expect(page.prose.match(/^> \[![A-Z]+\][^\n]+$/gm) ?? []).toEqual([]);
  });
});

it.each(SKILLS)('%s has a header in YAML, by which coding agents find it', (path) => {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const [, header = ''] = /^---\n([^]+?)\n---\n/.exec(text) ?? [];
  const fields = Object.fromEntries(header.split('\n').map((line) => line.split(/: (.*)/).slice(0, 2)));
  expect(fields).toMatchObject({ name: 'nestjs-snowflake', description: expect.stringMatching(/./) });
});

describe('the error codes of the pages', () => {
  const declaring = readdirSync(join(ROOT, 'libs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /^[\w-]+\/src\/.*-errors\.ts$/.test(file))
    .map((file) => readFileSync(join(ROOT, 'libs', file), 'utf8'));
  const ofErrors = declaring.flatMap((text) =>
    [...text.matchAll(/^ {2}readonly code = '(SNOWFLAKE_\w+)'/gm)].map(([, code = '']) => code),
  );
  const codes = [...ofErrors, ...REFUSAL_CODES];
  /** Environment variables, which look like codes. */
  const variables = ['SNOWFLAKE_WORKER_ID', 'SNOWFLAKE_NAMESPACE'];

  it.each(PAGES)('%s names only codes that the library has', (path) => {
    expect(codes.length).toBeGreaterThan(20);
    const named = pages.get(path)!.prose.match(/\bSNOWFLAKE_[A-Z_]+/g) ?? [];
    expect(named.filter((code) => ![...codes, ...variables].includes(code))).toEqual([]);
  });

  it('doctor.md lists every finding of the doctor with its severity, in the order in which the code declares them', () => {
    const rows = pages.get('docs/operations/doctor.md')!.tables.flatMap(({ rows: all }) => all);
    expect(rows.map((row) => row.slice(0, 2))).toEqual(
      Object.entries(FINDING_KINDS).map(([code, { severity }]) => [`\`${code}\``, severity]),
    );
  });
});
