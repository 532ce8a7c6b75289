import ts from 'typescript';
import { ROOT } from '../markdown.js';
import type { EntryPointExports } from './entry-points.js';
import { type TsDoc, tsDocOf } from './tsdoc.js';

/** An option, as its declaration has it. */
export interface OptionFacts {
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: OptionType;
  readonly doc: TsDoc;
}

export interface OptionType {
  /** As the declaration has it, without `readonly`. */
  readonly text: string;
  /** The choices, if the type is a union of texts with a name. */
  readonly choices?: Choices;
}

/** The texts that an option allows. */
export interface Choices {
  readonly texts: readonly string[];
  /** The list of the alias: what each choice means. */
  readonly list: string;
}

/** The options of an interface: those of the library, in order of declaration, and names of those that are TypeORM's. */
export interface OptionsFacts {
  readonly own: readonly OptionFacts[];
  readonly foreign: readonly string[];
}

/** Reads the options of an exported interface, inherited ones first. */
export function optionsOf(exports: EntryPointExports, interfaceName: string): OptionsFacts {
  const { checker } = exports;
  const members = membersOf(checker.getDeclaredTypeOfSymbol(exports.named(interfaceName)));
  return {
    own: members.filter(isOwn).map((member) => factsOf(checker, member)),
    foreign: members.filter((member) => !isOwn(member)).map(({ name }) => name),
  };
}

function membersOf(type: ts.Type): ts.Symbol[] {
  const all = type.getProperties();
  const inherited = new Set((type.getBaseTypes() ?? []).flatMap(membersOf).map(({ name }) => name));
  return [
    ...all.filter(({ name }) => inherited.has(name)),
    ...all.filter(({ name }) => !inherited.has(name)),
  ];
}

function isOwn({ declarations }: ts.Symbol): boolean {
  const path = declarations?.[0]?.getSourceFile().fileName ?? '';
  return path.startsWith(ROOT) && !path.includes('/node_modules/');
}

function factsOf(checker: ts.TypeChecker, member: ts.Symbol): OptionFacts {
  const [declaration] = member.declarations ?? [];
  if (!declaration || !ts.isPropertySignature(declaration) || !declaration.type) {
    throw new Error(`${member.name} is not declared as an option`);
  }
  return {
    name: member.name,
    isRequired: declaration.questionToken === undefined,
    type: typeOf(checker, declaration.type),
    doc: tsDocOf(member, checker),
  };
}

function typeOf(checker: ts.TypeChecker, node: ts.TypeNode): OptionType {
  const text = node
    .getText()
    .replaceAll(/\breadonly /g, '')
    .replaceAll(/\s+/g, ' ');
  const name = ts.isTypeReferenceNode(node) ? checker.getSymbolAtLocation(node.typeName) : undefined;
  const alias = name && name.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(name) : name;
  const [declaration] = alias?.declarations ?? [];
  if (!alias || !declaration || !ts.isTypeAliasDeclaration(declaration)) return { text };
  const texts = textsOf(declaration.type);
  const list = tsDocOf(alias, checker).rest.find((part) => part.startsWith('- '));
  return texts.length === 0 || list === undefined ? { text } : { text, choices: { texts, list } };
}

/** The texts of a union in order of declaration; none for another type. */
function textsOf(node: ts.TypeNode): string[] {
  if (!ts.isUnionTypeNode(node)) return [];
  const texts = node.types.flatMap((type) =>
    ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal) ? [type.literal.text] : [],
  );
  return texts.length === node.types.length ? texts : [];
}
