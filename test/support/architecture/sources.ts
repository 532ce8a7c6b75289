import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { allEntryPoints } from '../entry-points.js';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NOT_A_SPEC = /(?<!\.spec)\.tsx?$/;

/** The files below a folder of the repository, without specs, relative to the repository. */
function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => NOT_A_SPEC.test(file))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`);
}

/** Where a source lies, relative to the repository. */
export function pathOf(source: ts.SourceFile): string {
  return source.fileName.startsWith(ROOT) ? source.fileName.slice(ROOT.length) : source.fileName;
}

/** A module, and what it imports. */
export interface ImportingFile {
  readonly path: string;
  readonly imports: readonly string[];
}

/** The imports of every file below a folder, which take no syntax tree. */
export function importsIn(folder: string): ImportingFile[] {
  return filesIn(folder).map((path) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, path), 'utf8'), true, true);
    return { path, imports: importedFiles.map(({ fileName }) => fileName) };
  });
}

/**
 * Sources with a type checker. It resolves no package but those of this project, so every value of another one has the type `any`, and nothing else has.
 * That distinguishes the two, and takes a third of the time.
 */
export function checked(...folders: readonly string[]): {
  checker: ts.TypeChecker;
  sources: ts.SourceFile[];
} {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts'],
    types: [],
    strict: true,
  };
  const host = ts.createCompilerHost(options, true);
  const own = new Map(allEntryPoints().map(({ name, source }) => [name, join(ROOT, source)]));
  host.resolveModuleNameLiterals = (literals, file) =>
    literals.map(({ text }) => {
      const resolvedFileName = text.startsWith('.')
        ? join(file, '..', text).replace(/\.js$/, '.ts')
        : own.get(text);
      if (resolvedFileName === undefined) return { resolvedModule: undefined };
      return { resolvedModule: { resolvedFileName, extension: ts.Extension.Ts } };
    });
  const files = folders.flatMap(filesIn).map((path) => join(ROOT, path));
  const program = ts.createProgram(files, options, host);
  const sources = files.flatMap((file) => program.getSourceFile(file) ?? []);
  return { checker: program.getTypeChecker(), sources };
}
