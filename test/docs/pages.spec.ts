import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CodeProject, problemsOf } from './code-project.js';
import { codeIn, MarkdownPage, ROOT } from './markdown.js';
import { DOCS, GENERATED, PAGES, supportFolderOf } from './pages.js';

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

  it('has links that lead somewhere', () => {
    expect(deadLinks(path, page)).toEqual([]);
    if (path !== 'CHANGELOG.md') expect(new Set(page.anchors).size).toBe(page.anchors.length);
  });

  it('names files that exist', () => {
    const files = codeIn(page.prose).filter((code) => /^(apps|libs|test|docs)\/[\w./-]+$/.test(code));
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('has the kind of an alert on a line of its own, else GitHub shows it as a quote', () => {
    expect(page.prose.match(/^> \[![A-Z]+\][^\n]+$/gm) ?? []).toEqual([]);
  });

  it('says nothing of work that is left', () => {
    expect(page.text).not.toMatch(/\b(TODO|FIXME|coming soon)\b/i);
  });
});

describe('the TypeScript of the docs', () => {
  const written = DOCS.filter((path) => !GENERATED.test(path) && pages.get(path)!.blocksIn('ts').length > 0);
  const projects = written.map(
    (path) => new CodeProject(pages.get(path)!.blocksIn('ts'), supportFolderOf(path)),
  );
  const problems = problemsOf(projects);

  afterAll(() => {
    for (const project of projects) project.remove();
  });

  it.each(written.map((path, at) => [path, at] as const))('of %s compiles', (_path, at) => {
    expect(problems[at]).toEqual([]);
  });
});
