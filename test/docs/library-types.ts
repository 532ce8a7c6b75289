import { join } from 'node:path';
import ts from 'typescript';
import { compilerOptions } from './code-project.js';
import { ROOT } from './markdown.js';

const DOORS = [
  'index.ts',
  'standalone.ts',
  'core.ts',
  'stores/redis/index.ts',
  'stores/sql/index.ts',
  'typeorm/index.ts',
].map((door) => join(ROOT, 'libs/snowflake/src', door));

/** What a caller can know of an error class without making one. */
export interface ErrorFacts {
  readonly className: string;
  readonly code: string;
  readonly retryable: boolean;
}

/** What the compiler knows of the library's exports. */
export class LibraryTypes {
  private readonly checker: ts.TypeChecker;
  private readonly exports: readonly ts.Symbol[];

  constructor() {
    const program = ts.createProgram(DOORS, compilerOptions());
    const checker = program.getTypeChecker();
    this.checker = checker;
    const exported = DOORS.flatMap((door) => {
      const source = program.getSourceFile(door);
      const module = source && checker.getSymbolAtLocation(source);
      if (!module) throw new Error(`${door} exports nothing`);
      return checker
        .getExportsOfModule(module)
        .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
    });
    // Several doors export the same class.
    this.exports = [...new Set(exported)];
  }

  /** Names of the public members of an exported interface or class, inherited ones included. */
  membersOf(name: string): string[] {
    return this.instanceType(name)
      .getProperties()
      .filter(isPublic)
      .map((member) => member.name);
  }

  /** Every text that an exported union of texts allows. */
  textsOf(name: string): string[] {
    const type = this.instanceType(name);
    const members = type.isUnion() ? type.types : [type];
    return members.flatMap((member) => (member.isStringLiteral() ? [member.value] : []));
  }

  /** All error classes that can be instantiated. */
  errors(): ErrorFacts[] {
    return this.exports
      .filter(({ name, flags }) => flags & ts.SymbolFlags.Class && name.endsWith('Error'))
      .flatMap((symbol) => {
        const type = this.checker.getDeclaredTypeOfSymbol(symbol);
        const code = this.typeOf(type, 'code');
        if (!code?.isStringLiteral()) return [];
        const retryable = this.typeOf(type, 'retryable');
        return {
          className: symbol.name,
          code: code.value,
          retryable: retryable !== undefined && this.checker.typeToString(retryable) === 'true',
        };
      });
  }

  private instanceType(name: string): ts.Type {
    const symbol = this.exports.find((candidate) => candidate.name === name);
    if (!symbol) throw new Error(`The library does not export ${name}`);
    return this.checker.getDeclaredTypeOfSymbol(symbol);
  }

  private typeOf(type: ts.Type, member: string): ts.Type | undefined {
    const property = type.getProperty(member);
    return property && this.checker.getTypeOfSymbol(property);
  }
}

function isPublic({ valueDeclaration }: ts.Symbol): boolean {
  const name = valueDeclaration && ts.getNameOfDeclaration(valueDeclaration);
  if (name && ts.isPrivateIdentifier(name)) return false;
  const modifiers = valueDeclaration ? ts.getCombinedModifierFlags(valueDeclaration) : 0;
  return (modifiers & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) === 0;
}
