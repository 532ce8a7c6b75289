import { join } from 'node:path';
import ts from 'typescript';
import { entryPoints } from '../../support/entry-points.js';
import { compilerOptions } from '../compiler-options.js';
import { ROOT } from '../markdown.js';

/** An entry point of the package, as its sources have it. */
export interface SourceEntryPoint {
  /** As users import it, such as `nestjs-snowflake/redis`. */
  readonly name: string;
  readonly path: string;
}

/** Every entry point that users import. */
export function sourceEntryPoints(): SourceEntryPoint[] {
  return entryPoints().map(({ name, source }) => ({ name, path: join(ROOT, source) }));
}

/** The exports of the entry points, and their type checker. */
export class EntryPointExports {
  readonly checker: ts.TypeChecker;
  private readonly entryPointsOfSymbol = new Map<ts.Symbol, string[]>();

  constructor(sources: readonly SourceEntryPoint[] = sourceEntryPoints()) {
    const program = ts.createProgram(
      sources.map(({ path }) => path),
      compilerOptions(),
    );
    this.checker = program.getTypeChecker();
    for (const { name, path } of sources) {
      const source = program.getSourceFile(path);
      const module = source && this.checker.getSymbolAtLocation(source);
      if (!module) throw new Error(`${name} exports nothing`);
      for (const exported of this.checker.getExportsOfModule(module)) this.note(exported, name);
    }
  }

  /** Every exported symbol once, however many entry points have it. */
  get symbols(): ts.Symbol[] {
    return [...this.entryPointsOfSymbol.keys()];
  }

  named(name: string): ts.Symbol {
    const symbol = this.symbols.find((candidate) => candidate.name === name);
    if (!symbol) throw new Error(`No entry point exports ${name}`);
    return symbol;
  }

  entryPointsOf(symbol: ts.Symbol): readonly string[] {
    return this.entryPointsOfSymbol.get(symbol) ?? [];
  }

  private note(exported: ts.Symbol, entryPoint: string): void {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(exported) : exported;
    this.entryPointsOfSymbol.set(symbol, [...(this.entryPointsOfSymbol.get(symbol) ?? []), entryPoint]);
  }
}
