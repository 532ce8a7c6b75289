import { join } from 'node:path';
import ts from 'typescript';
import { entryPoints } from '../../support/entry-points.js';
import { compilerOptions } from '../compiler-options.js';
import { ROOT } from '../markdown.js';

/** An entry point of the package, as its sources have it. */
export interface SourceDoor {
  /** As users import it, such as `nestjs-snowflake/redis`. */
  readonly name: string;
  readonly path: string;
}

/** Every door that users import. */
export function sourceDoors(): SourceDoor[] {
  return entryPoints().map(({ name, source }) => ({ name, path: join(ROOT, source) }));
}

/** The exports of the doors, and a checker that knows them. */
export class DoorExports {
  readonly checker: ts.TypeChecker;
  private readonly doorsOfSymbol = new Map<ts.Symbol, string[]>();

  constructor(doors: readonly SourceDoor[] = sourceDoors()) {
    const program = ts.createProgram(
      doors.map(({ path }) => path),
      compilerOptions(),
    );
    this.checker = program.getTypeChecker();
    for (const { name, path } of doors) {
      const source = program.getSourceFile(path);
      const module = source && this.checker.getSymbolAtLocation(source);
      if (!module) throw new Error(`${name} exports nothing`);
      for (const exported of this.checker.getExportsOfModule(module)) this.note(exported, name);
    }
  }

  /** Every exported symbol once, however many doors have it. */
  get symbols(): ts.Symbol[] {
    return [...this.doorsOfSymbol.keys()];
  }

  named(name: string): ts.Symbol {
    const symbol = this.symbols.find((candidate) => candidate.name === name);
    if (!symbol) throw new Error(`No door exports ${name}`);
    return symbol;
  }

  doorsOf(symbol: ts.Symbol): readonly string[] {
    return this.doorsOfSymbol.get(symbol) ?? [];
  }

  private note(exported: ts.Symbol, door: string): void {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(exported) : exported;
    this.doorsOfSymbol.set(symbol, [...(this.doorsOfSymbol.get(symbol) ?? []), door]);
  }
}
