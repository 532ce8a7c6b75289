import { CodeProject } from './code-project.js';
import { MarkdownPage } from './markdown.js';
import { supportFolderOf } from './pages.js';

/** The TypeScript of a page or of one section, to run. Keeps book of the files that a spec has run. */
export class PageCode {
  readonly page: MarkdownPage;
  private readonly project: CodeProject;
  private readonly ran = new Set<string>();

  /**
   * @param path the page, such as `docs/stores/redis.md`
   * @param section a heading of the second level, if the page has several subjects
   */
  constructor(path: string, section?: string) {
    const page = MarkdownPage.read(path);
    this.page = section === undefined ? page : page.under(section);
    this.project = new CodeProject(this.page.blocksIn('ts'), supportFolderOf(path));
  }

  /** Runs a file of the page. Returns its exports. */
  import<Exports>(file: string): Promise<Exports> {
    this.ran.add(file);
    return this.project.import<Exports>(file);
  }

  /** Runs a file of the page. Returns the export `name`. */
  async run<Exported>(file: string, name: string): Promise<Exported> {
    const exports = await this.import<Record<string, Exported>>(file);
    const exported = exports[name];
    if (exported === undefined) throw new Error(`${file} exports no ${name}`);
    return exported;
  }

  /** The files of the page that nothing has run yet. */
  notRun(): string[] {
    return this.project.files.filter((file) => !this.ran.has(file));
  }

  /** The path of a file of the page. */
  pathOf(file: string): string {
    return this.project.paths[this.project.files.indexOf(file)]!;
  }

  remove(): void {
    this.project.remove();
  }
}
