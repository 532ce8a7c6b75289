import { fileOf } from './code-files.js';
import { CodeProject } from './code-project.js';
import { MarkdownPage } from './markdown.js';
import { supportFolderOf } from './pages.js';

/** The TypeScript of a page or of one section, to run. Keeps book of the files that a spec has run. */
export class PageCode extends CodeProject {
  readonly page: MarkdownPage;
  private readonly ran = new Set<string>();

  /**
   * @param path the page, such as `docs/stores/redis.md`
   * @param section a heading of the second level, if the page has several subjects
   */
  constructor(path: string, section?: string) {
    const whole = MarkdownPage.read(path);
    const page = section === undefined ? whole : whole.under(section);
    super(page.blocksIn('ts'), supportFolderOf(path));
    this.page = page;
  }

  override import<Exports>(file: string): Promise<Exports> {
    this.ran.add(file);
    return super.import<Exports>(file);
  }

  /** A project with the blocks of the page after a change of their text. */
  changed(change: (text: string, file: string) => string): CodeProject {
    const blocks = this.page.blocksIn('ts');
    return new CodeProject(blocks.map((block) => ({ ...block, text: change(block.text, fileOf(block)) })));
  }

  /** The files of the page that nothing has run yet. */
  notRun(): string[] {
    return this.files.filter((file) => !this.ran.has(file));
  }
}

/** Declares the last test of a spec, which fails if a block of these pages has not run. */
export function testThatAllHaveRun(...pages: readonly { notRun(): string[] }[]): void {
  it('the spec has run every block of the page', () => {
    expect(pages.flatMap((page) => page.notRun())).toEqual([]);
  });
}
