import { type AppFiles, joined } from './app-files.js';
import { NotUnderstoodError } from './not-understood.js';
import { importOf, specifierOf } from './imports.js';
import { Source } from './source.js';
import type { ts, TypeScript } from './typescript.js';

const MAX_REEXPORTS = 5;
const ENDINGS = ['.js', '.ts'] as const;

/** A class of the app, with the file that declares it. */
export interface DeclaredClass {
  readonly source: Source;
  readonly className: string;
}

/** Finds the files and classes that the app's imports name, as its compiler does. */
export class Resolver {
  private readonly options: ts.CompilerOptions;
  private readonly sources = new Map<string, Source>();

  constructor(
    readonly ts: TypeScript,
    readonly files: AppFiles,
    configPath = 'tsconfig.json',
  ) {
    this.options = this.readOptions(configPath);
  }

  /** Returns a source of the app: one for each file, so that all edits of a file meet. @throws NotUnderstoodError if there is no such file */
  source(path: string): Source {
    const known = this.sources.get(path);
    if (known) return known;
    const text = this.files.read(path);
    if (text === undefined) throw new NotUnderstoodError(`The app has no ${path}.`);
    const source = new Source(this.ts, path, text);
    this.sources.set(path, source);
    return source;
  }

  /** Returns the sources that have edits. */
  edited(): Source[] {
    return [...this.sources.values()].filter((each) => each.edited() !== each.text);
  }

  /** Returns the class that a name of a file means. @throws NotUnderstoodError if it can't be found */
  classNamed(source: Source, name: string): DeclaredClass {
    const declared = source.tree.statements.some(
      (each) => this.ts.isClassDeclaration(each) && each.name?.text === name,
    );
    if (declared) return { source, className: name };
    const imported = importOf(source, name);
    const found = imported && this.exported(source.path, imported.from, imported.name, MAX_REEXPORTS);
    if (found) return found;
    throw new NotUnderstoodError(`The class ${name}, which ${source.path} uses, was not found.`);
  }

  private exported(
    fromPath: string,
    specifier: string,
    name: string,
    depth: number,
  ): DeclaredClass | undefined {
    const path = this.pathOf(fromPath, specifier);
    if (path === undefined || depth === 0) return undefined;
    const source = this.source(path);
    const { ts } = this;
    for (const statement of source.tree.statements) {
      if (ts.isClassDeclaration(statement) && statement.name && this.exports(statement, name))
        return { source, className: statement.name.text };
      if (ts.isExportDeclaration(statement) && statement.moduleSpecifier) {
        const next = originalName(ts, statement, name);
        const found =
          next && this.exported(path, statement.moduleSpecifier.getText().slice(1, -1), next, depth - 1);
        if (found) return found;
      }
    }
    return undefined;
  }

  private exports(declaration: ts.ClassDeclaration, name: string): boolean {
    const isDefault =
      declaration.modifiers?.some(({ kind }) => kind === this.ts.SyntaxKind.DefaultKeyword) ?? false;
    return name === 'default' ? isDefault : declaration.name?.text === name;
  }

  private pathOf(fromPath: string, specifier: string): string | undefined {
    const host: ts.ModuleResolutionHost = {
      fileExists: (path) => this.files.read(joined(path)) !== undefined,
      readFile: (path) => this.files.read(joined(path)),
    };
    const { resolvedModule } = this.ts.resolveModuleName(specifier, `/${fromPath}`, this.options, host);
    if (resolvedModule === undefined || resolvedModule.isExternalLibraryImport) return undefined;
    return joined(resolvedModule.resolvedFileName);
  }

  private readOptions(path: string): ts.CompilerOptions {
    const { ts, files } = this;
    const text = files.read(path);
    if (text === undefined) return {};
    const { config } = ts.parseConfigFileTextToJson(path, text) as { config?: unknown };
    const host: ts.ParseConfigHost = {
      useCaseSensitiveFileNames: true,
      fileExists: (each) => files.read(joined(each)) !== undefined,
      readFile: (each) => files.read(joined(each)),
      readDirectory: () => [],
    };
    return ts.parseJsonConfigFileContent(config ?? {}, host, '/', undefined, `/${path}`).options;
  }
}

/** Returns the name that a re-export has in its module; `undefined` if it doesn't export the name. */
function originalName(
  ts: TypeScript,
  { exportClause }: ts.ExportDeclaration,
  name: string,
): string | undefined {
  if (exportClause === undefined) return name === 'default' ? undefined : name;
  if (!ts.isNamedExports(exportClause)) return undefined;
  const found = exportClause.elements.find((each) => each.name.text === name);
  return found && (found.propertyName ?? found.name).text;
}

/** Returns what follows the path in the imports of an app's own files: `.js`, `.ts`, or nothing. */
export function importEnding(
  main: Source,
  root: DeclaredClass,
  localName: string,
  isEsModule: boolean,
): string {
  const others = [main, root.source].flatMap((source) => source.imports().map(specifierOf));
  const own = [importOf(main, localName)?.from ?? '', ...others].find((each) => each.startsWith('.'));
  if (own === undefined) return isEsModule ? ENDINGS[0] : '';
  return ENDINGS.find((ending) => own.endsWith(ending)) ?? '';
}
