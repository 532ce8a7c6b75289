import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const LIBS = fileURLToPath(new URL('../../libs', import.meta.url));

/** A package of which users import something. */
export interface PublishedPackage {
  readonly name: string;
  readonly folder: string;
}

export const LIBRARY: PublishedPackage = { name: 'nestjs-snowflake', folder: join(LIBS, 'snowflake') };
export const CONSOLE: PublishedPackage = {
  name: 'nestjs-snowflake-console',
  folder: join(LIBS, 'snowflake-console'),
};

/** Where the report of a package lies. */
export function reportFile({ folder }: PublishedPackage): string {
  return join(folder, 'api-report.txt');
}

const PROGRAM: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  types: ['node'],
  skipLibCheck: true,
};
const headOf = ({ name }: PublishedPackage): string =>
  `What users of ${name} can name: every export of every door, from the built declarations.
Written by "npm run api-report". A change here is a change for users: say it in CHANGELOG.md.
`;

export interface Door {
  /** As users import it. */
  readonly name: string;
  readonly declarations: string;
}

/** The doors of a package, the purest first: the others export again what these have. */
export function doorsOfManifest({ name, folder }: PublishedPackage): Door[] {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { readonly import: { readonly types: string } }>;
  };
  const doors = Object.entries(exports).flatMap(([key, target]) =>
    typeof target === 'string'
      ? []
      : [{ name: key.replace('.', name), declarations: join(folder, target.import.types) }],
  );
  const height = (door: Door): number =>
    ['core', 'codecs', 'standalone'].indexOf(door.name.split('/')[1] ?? '');
  return doors.toSorted((a, b) => (height(a) >>> 0) - (height(b) >>> 0));
}

/** Text of every exported signature of a built package. @throws Error if it is not built */
export function apiReport(published: PublishedPackage): string {
  return headOf(published) + readDoors(doorsOfManifest(published)).report;
}

/**
 * Reads the exports of doors.
 *
 * @returns `report`, the text of every signature, and `hidden`, the names in them that none of the doors exports
 */
export function readDoors(doors: readonly Door[]): { report: string; hidden: string[] } {
  const program = ts.createProgram(
    doors.map(({ declarations }) => declarations),
    PROGRAM,
  );
  const reader = new ApiReport(program);
  return { report: reader.of(doors), hidden: reader.hiddenNames() };
}

class ApiReport {
  private readonly checker: ts.TypeChecker;
  private readonly printer = ts.createPrinter({ removeComments: true });
  /** Where each symbol is described. */
  private readonly placeOf = new Map<ts.Symbol, string>();
  /** What signatures name and no door exports. */
  private readonly hidden = new Set<ts.Symbol>();

  constructor(private readonly program: ts.Program) {
    this.checker = program.getTypeChecker();
  }

  of(doors: readonly Door[]): string {
    const exportsOf = new Map(doors.map((door) => [door, this.exportsOf(door)]));
    for (const [{ name }, symbols] of exportsOf) {
      for (const symbol of symbols) if (!this.placeOf.has(symbol)) this.placeOf.set(symbol, name);
    }
    const sections = [...exportsOf].map(([{ name }, symbols]) =>
      [`=== ${name}`, ...symbols.map((symbol) => this.entry(name, symbol))].join('\n\n'),
    );
    return `${['', ...sections].join('\n\n')}\n`;
  }

  private exportsOf({ name, declarations }: Door): ts.Symbol[] {
    const source = this.program.getSourceFile(declarations);
    const module = source && this.checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${name} has no declarations. Build first: npm run build`);
    return inOrder(this.checker.getExportsOfModule(module).map((symbol) => this.original(symbol)));
  }

  private original(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  private entry(door: string, symbol: ts.Symbol): string {
    const place = this.placeOf.get(symbol);
    return place === undefined || place === door ? this.signature(symbol) : `${symbol.name}: see ${place}`;
  }

  /** Names that signatures use and no door exports. */
  hiddenNames(): string[] {
    return inOrder([...this.hidden]).map(({ name }) => name);
  }

  private signature(symbol: ts.Symbol): string {
    const declarations = symbol.declarations ?? [];
    return declarations.map((declaration) => this.print(declaration)).join('\n');
  }

  private print(declaration: ts.Declaration): string {
    // A constant stands in a list of them, which carries the word `const`.
    const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    const open = withoutPrivateMembers(node);
    this.noteHidden(open);
    const text = this.printer.printNode(ts.EmitHint.Unspecified, open, node.getSourceFile());
    return text.replace(/^export (default )?/, '').replace(/^declare /, '');
  }

  private noteHidden(node: ts.Node): void {
    if (ts.isIdentifier(node) && node.pos >= 0) {
      const symbol = this.checker.getSymbolAtLocation(node);
      const original = symbol && this.original(symbol);
      if (original && this.isHidden(original)) this.hidden.add(original);
    }
    ts.forEachChild(node, (child) => this.noteHidden(child));
  }

  private isHidden(symbol: ts.Symbol): boolean {
    const [declaration] = symbol.declarations ?? [];
    if (declaration === undefined || this.placeOf.has(symbol)) return false;
    const isType = ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration);
    const isValue = ts.isVariableDeclaration(declaration) || ts.isFunctionDeclaration(declaration);
    const isTopLevel = isType || isValue || ts.isClassDeclaration(declaration);
    return isTopLevel && /\/libs\/[^/]+\/dist\//.test(declaration.getSourceFile().fileName);
  }
}

/** A class without its private members, except a constructor: that one says that users make no instances. */
function withoutPrivateMembers(node: ts.Node): ts.Node {
  if (!ts.isClassDeclaration(node)) return node;
  const members = node.members.filter(
    (member) =>
      ts.isConstructorDeclaration(member) ||
      ((ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) === 0 &&
        !(member.name && ts.isPrivateIdentifier(member.name))),
  );
  const { modifiers, name, typeParameters, heritageClauses } = node;
  return ts.factory.updateClassDeclaration(node, modifiers, name, typeParameters, heritageClauses, members);
}

function inOrder(symbols: readonly ts.Symbol[]): ts.Symbol[] {
  return [...symbols].sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}
