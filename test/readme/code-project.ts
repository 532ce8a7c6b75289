import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { type CodeBlock, ROOT } from './markdown.js';

/** Most of one program is the same as in the next: what has been read need not be read again. */
let lastProgram: ts.Program | undefined;

/** A user's project with the code of a page: each block is the file that its first line names in a comment. */
export class CodeProject {
  readonly files: readonly string[];
  private readonly folder: string;

  constructor(blocks: readonly CodeBlock[]) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-readme-')));
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify({ type: 'module' }));
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'), 'dir');
    this.files = blocks.map(({ text }) => {
      const file = /^\/\/ (\S+\.ts)\n/.exec(text)?.[1];
      if (file === undefined) throw new Error(`A block does not begin with its file name:\n${text}`);
      writeFileSync(join(this.folder, file), text);
      return file;
    });
  }

  /** What the compiler has against the code, under the settings of this repository. */
  problems(): string[] {
    const paths = this.files.map((file) => join(this.folder, file));
    const program = ts.createProgram(paths, compilerOptions(), undefined, lastProgram);
    lastProgram = program;
    // The library's own sources are in the program too, and checked elsewhere.
    const diagnostics = paths
      .map((path) => program.getSourceFile(path))
      .flatMap((source) => [
        ...program.getSyntacticDiagnostics(source),
        ...program.getSemanticDiagnostics(source),
      ]);
    return [...program.getOptionsDiagnostics(), ...diagnostics].map(({ file, messageText }) => {
      const place = file?.fileName.replace(`${this.folder}/`, '') ?? '';
      return `${place}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
  }

  /** Runs a file, and gives its exports. */
  import<Exports>(file: string): Promise<Exports> {
    return import(join(this.folder, file)) as Promise<Exports>;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The settings of the root `tsconfig.json`, under which the library's doors lead to its sources. */
export function compilerOptions(): ts.CompilerOptions {
  const path = join(ROOT, 'tsconfig.json');
  const { config } = ts.readConfigFile(path, ts.sys.readFile) as { config: unknown };
  return ts.parseJsonConfigFileContent({ ...(config as object), files: [] }, ts.sys, ROOT).options;
}
