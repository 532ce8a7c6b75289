import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { type CodeBlock, ROOT } from './markdown.js';

/** Programs have most sources in common, so each one reuses the sources of the last. */
let lastProgram: ts.Program | undefined;

/** A user's project with the code of a page. The first line of each block is a comment with its file name. */
export class CodeProject {
  readonly files: readonly string[];
  private readonly folder: string;

  /** @param supportFolder files that the page takes for granted, such as an entity of another page */
  constructor(blocks: readonly CodeBlock[], supportFolder?: string) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-docs-')));
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify({ type: 'module' }));
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'), 'dir');
    if (supportFolder !== undefined && existsSync(supportFolder)) {
      cpSync(supportFolder, this.folder, { recursive: true });
    }
    this.files = blocks.map(({ text }) => {
      const file = /^\/\/ (\S+\.ts)\n/.exec(text)?.[1];
      if (file === undefined) throw new Error(`A block does not begin with its file name:\n${text}`);
      const path = join(this.folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return file;
    });
  }

  /** The compiler's messages about the code, under the settings of this repository. */
  problems(): string[] {
    return problemsOf([this])[0] ?? [];
  }

  get paths(): string[] {
    return this.files.map((file) => join(this.folder, file));
  }

  nameOf(path: string): string {
    return relative(this.folder, path);
  }

  /** Runs a file and returns its exports. */
  import<Exports>(file: string): Promise<Exports> {
    return import(join(this.folder, file)) as Promise<Exports>;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Compiles several projects as one program, which takes little longer than one of them. Returns the messages by project. */
export function problemsOf(projects: readonly CodeProject[]): string[][] {
  const all = projects.flatMap(({ paths }) => paths);
  const program = ts.createProgram(all, compilerOptions(), undefined, lastProgram);
  lastProgram = program;
  const general = program.getOptionsDiagnostics();
  return projects.map((project) => {
    // The library's own sources are in the program too, and checked elsewhere.
    const diagnostics = project.paths
      .map((path) => program.getSourceFile(path))
      .flatMap((source) => [
        ...program.getSyntacticDiagnostics(source),
        ...program.getSemanticDiagnostics(source),
      ]);
    return [...general, ...diagnostics].map(({ file, messageText }) => {
      const place = file ? project.nameOf(file.fileName) : '';
      return `${place}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
  });
}

/** The settings of the root `tsconfig.json`, under which the library's doors lead to its sources. */
export function compilerOptions(): ts.CompilerOptions {
  const path = join(ROOT, 'tsconfig.json');
  const { config } = ts.readConfigFile(path, ts.sys.readFile) as { config: unknown };
  return ts.parseJsonConfigFileContent({ ...(config as object), files: [] }, ts.sys, ROOT).options;
}
