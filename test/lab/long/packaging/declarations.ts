import ts from 'typescript';

const STRICT: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  types: [],
  // Whether the declarations of TypeORM or Nest are sound is not for this test to say.
  skipLibCheck: true,
};

export interface DeclarationReport {
  /** What the compiler has against the files. */
  readonly errors: readonly string[];
  /** Exports without TSDoc, as `entryPoint: name`. */
  readonly undocumented: readonly string[];
  /** Number of exports seen. */
  readonly exportCount: number;
}

/** Compiles a user's TypeScript `files`, each of which imports one entry point as a whole, and reads the entry points' TSDoc. */
export function inspectDeclarations(files: readonly string[]): DeclarationReport {
  const program = ts.createProgram(files, STRICT);
  const checker = program.getTypeChecker();
  const exported = files.flatMap((file) => exportsOfImports(program, checker, file));
  return {
    errors: ts.getPreEmitDiagnostics(program).map((diagnostic) => {
      const place = diagnostic.file?.fileName ?? '';
      return `${place}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n')}`;
    }),
    undocumented: exported
      .filter(({ symbol }) => symbol.getDocumentationComment(checker).length === 0)
      .map(({ entryPoint, symbol }) => `${entryPoint}: ${symbol.name}`),
    exportCount: exported.length,
  };
}

interface DoorExport {
  readonly entryPoint: string;
  readonly symbol: ts.Symbol;
}

function exportsOfImports(program: ts.Program, checker: ts.TypeChecker, file: string): DoorExport[] {
  const statements: readonly ts.Statement[] = program.getSourceFile(file)?.statements ?? [];
  return statements.filter(ts.isImportDeclaration).flatMap(({ moduleSpecifier }) => {
    const module = checker.getSymbolAtLocation(moduleSpecifier);
    if (module === undefined || !ts.isStringLiteral(moduleSpecifier)) return [];
    return checker.getExportsOfModule(module).map((symbol) => ({
      entryPoint: moduleSpecifier.text,
      symbol: symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    }));
  });
}
