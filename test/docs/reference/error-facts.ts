import ts from 'typescript';
import { ROOT } from '../markdown.js';
import type { EntryPointExports } from './entry-points.js';
import { tsDocOf } from './tsdoc.js';

/** The facts of an error class that need no instance. */
export interface ErrorFacts {
  readonly className: string;
  readonly code: string;
  readonly retryable: boolean;
  /** The entry points that export it. */
  readonly entryPoints: readonly string[];
  /** The file that declares it, without its folder. */
  readonly file: string;
  /** When it comes. */
  readonly when: string;
  readonly whatToDo: string;
  /** Its own properties, such as `workerId: number`. */
  readonly properties: readonly string[];
}

/** The error classes that an entry point exports and that can be instantiated, in order of declaration. */
export function errorsOf(exports: EntryPointExports): ErrorFacts[] {
  return exports.symbols
    .filter(({ name, flags }) => flags & ts.SymbolFlags.Class && name.endsWith('Error'))
    .toSorted((one, other) => placeOf(one).localeCompare(placeOf(other)))
    .flatMap((symbol) => {
      const { checker } = exports;
      const type = checker.getDeclaredTypeOfSymbol(symbol);
      const code = typeOfMember(checker, type, 'code');
      if (!code?.isStringLiteral()) return [];
      const { summary, rest } = tsDocOf(symbol, checker);
      if (rest.length !== 1)
        throw new Error(`The TSDoc of ${symbol.name} needs two paragraphs: when, and what to do`);
      const retryable = typeOfMember(checker, type, 'retryable');
      return {
        className: symbol.name,
        code: code.value,
        retryable: retryable !== undefined && checker.typeToString(retryable) === 'true',
        entryPoints: exports.entryPointsOf(symbol),
        file: fileOf(symbol).replace(/.*\//, ''),
        when: summary,
        whatToDo: rest[0]!,
        properties: propertiesOf(checker, symbol, type),
      };
    });
}

function propertiesOf(checker: ts.TypeChecker, symbol: ts.Symbol, type: ts.Type): string[] {
  return type
    .getProperties()
    .filter((member) => member.valueDeclaration?.parent && isOwn(member, symbol))
    .filter(({ name }) => name !== 'code' && name !== 'retryable')
    .map((member) => `${member.name}: ${checker.typeToString(checker.getTypeOfSymbol(member))}`);
}

/** Whether the class itself declares a member, in its body or as a parameter of its constructor. */
function isOwn({ valueDeclaration }: ts.Symbol, symbol: ts.Symbol): boolean {
  const [declaration] = symbol.declarations ?? [];
  for (let node: ts.Node | undefined = valueDeclaration; node; node = node.parent) {
    if (node === declaration) return true;
  }
  return false;
}

function fileOf(symbol: ts.Symbol): string {
  return symbol.declarations?.[0]?.getSourceFile().fileName.replace(ROOT, '') ?? '';
}

/** Sorts by file, and within a file by position. */
function placeOf(symbol: ts.Symbol): string {
  return `${fileOf(symbol)} ${String(symbol.declarations?.[0]?.pos ?? 0).padStart(9, '0')}`;
}

function typeOfMember(checker: ts.TypeChecker, type: ts.Type, member: string): ts.Type | undefined {
  const property = type.getProperty(member);
  return property && checker.getTypeOfSymbol(property);
}
