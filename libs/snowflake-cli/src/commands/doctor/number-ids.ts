import type { Source } from 'nestjs-snowflake/internal/setup/source';
import type { ts } from 'nestjs-snowflake/internal/setup/typescript';
import { type DecoratorOf, decoratorsOf, type KeyKinds } from './key-kinds.js';

/** How code converts an ID to a number. */
export type NumberKind = 'pipe' | 'validator' | 'openapi' | 'conversion' | 'type';

/** A place where code converts an ID to a number. */
export interface NumberId {
  readonly kind: NumberKind;
  /** The name of the ID. */
  readonly name: string;
  /** Such as `@IsInt`. */
  readonly code: string;
  /** Counted from 1. */
  readonly line: number;
}

const REQUEST_PARTS = new Set(['Param', 'Query', 'Body', 'Headers']);
const NUMBER_PIPES = new Set(['ParseIntPipe', 'ParseFloatPipe']);
const NUMBER_VALIDATORS = new Set(['IsInt', 'IsNumber']);
const API_PROPERTIES = new Set(['ApiProperty', 'ApiPropertyOptional']);
const API_PARAMETERS = new Set(['ApiParam', 'ApiQuery']);
const CONVERSIONS = new Set(['Number', 'parseInt', 'parseFloat', 'Number.parseInt', 'Number.parseFloat']);

/** Yields the places in a source file that convert Snowflake IDs to numbers. */
export function* numberIdsIn(source: Source, kinds: KeyKinds): Generator<NumberId> {
  for (const node of source.nodes()) {
    const found = [
      ...requestPart(source, node),
      ...propertyOf(source, node),
      ...apiParameter(source, node),
      ...conversion(source, node),
    ];
    for (const { at, ...place } of found) {
      if (!kinds.isSnowflake(place.name, ownerOf(source, node))) continue;
      yield { ...place, line: source.tree.getLineAndCharacterOfPosition(at.getStart()).line + 1 };
    }
  }
}

type Found = Omit<NumberId, 'line'> & { readonly at: ts.Node };

/** `@Param('id', ParseIntPipe)`, and `@Param('id') id: number`, which ValidationPipe transforms. */
function* requestPart(source: Source, node: ts.Node): Generator<Found> {
  const { ts } = source;
  if (!ts.isParameter(node)) return;
  for (const { name: part, call } of decoratorsOf(source, node)) {
    const [key, ...pipes] = call?.arguments ?? [];
    if (!call || !REQUEST_PARTS.has(part) || !key || !ts.isStringLiteralLike(key)) continue;
    const pipe = pipes.map((each) => nameOf(source, each)).find((each) => NUMBER_PIPES.has(each));
    const at = call;
    if (pipe !== undefined) yield { kind: 'pipe', name: key.text, code: pipe, at };
    else if (isNumberType(source, node.type)) yield { kind: 'pipe', name: key.text, code: 'number', at };
  }
}

/** Returns the name of a class, or of the class that `new` makes an object of. */
function nameOf({ ts }: Source, node: ts.Expression): string {
  const named = ts.isNewExpression(node) ? node.expression : node;
  return ts.isPropertyAccessExpression(named) ? named.name.text : named.getText();
}

/** A property that is declared, validated, transformed or described as a number. */
function* propertyOf(source: Source, node: ts.Node): Generator<Found> {
  const { ts } = source;
  if (!ts.isPropertyDeclaration(node) || !ts.isIdentifier(node.name)) return;
  const decorators = decoratorsOf(source, node);
  const place = { name: node.name.text, at: node.name };
  const validator = decorators.find(
    (each) => NUMBER_VALIDATORS.has(each.name) || isNumberTransform(source, each),
  );
  if (validator) yield { ...place, kind: 'validator', code: `@${validator.name}` };
  const described = decorators.find(
    ({ name, call }) => API_PROPERTIES.has(name) && typeIsNumber(source, call),
  );
  if (described) yield { ...place, kind: 'openapi', code: `type: Number of @${described.name}` };
  const isData =
    decorators.some(({ name }) => API_PROPERTIES.has(name)) || /(Dto|DTO|Input)$/.test(ownerOf(source, node));
  if (!validator && !described && isData && isNumberType(source, node.type))
    yield { ...place, kind: 'type', code: 'number' };
}

/** `@Type(() => Number)` of class-transformer. */
function isNumberTransform({ ts }: Source, { name, call }: DecoratorOf): boolean {
  const [made] = call?.arguments ?? [];
  return (
    name === 'Type' && made !== undefined && ts.isArrowFunction(made) && made.body.getText() === 'Number'
  );
}

/** `@ApiParam({ name: 'id', type: Number })` */
function* apiParameter(source: Source, node: ts.Node): Generator<Found> {
  for (const { name: decorator, call } of decoratorsOf(source, node)) {
    if (!call || !API_PARAMETERS.has(decorator) || !typeIsNumber(source, call)) continue;
    const name = optionOf(source, call, 'name');
    if (name && source.ts.isStringLiteralLike(name))
      yield { kind: 'openapi', name: name.text, code: `type: Number of @${decorator}`, at: call };
  }
}

/** `Number(order.id)` */
function* conversion({ ts }: Source, node: ts.Node): Generator<Found> {
  if (!ts.isCallExpression(node) || !CONVERSIONS.has(node.expression.getText())) return;
  const [given] = node.arguments;
  const value = given && ts.isNonNullExpression(given) ? given.expression : given;
  if (!value) return;
  const name = ts.isPropertyAccessExpression(value)
    ? value.name.text
    : ts.isIdentifier(value)
      ? value.text
      : '';
  yield { kind: 'conversion', name, code: node.expression.getText(), at: node };
}

function typeIsNumber(source: Source, call: ts.CallExpression | undefined): boolean {
  const type = call && optionOf(source, call, 'type')?.getText();
  return type !== undefined && /^(\[?Number\]?|['"](number|integer)['"]|\(\) => \[?Number\]?)$/.test(type);
}

/** Returns the value of an option in the first argument of a call. */
function optionOf({ ts }: Source, call: ts.CallExpression, name: string): ts.Expression | undefined {
  const [options] = call.arguments;
  if (!options || !ts.isObjectLiteralExpression(options)) return undefined;
  const property = options.properties.find((each) => each.name?.getText() === name);
  return property && ts.isPropertyAssignment(property) ? property.initializer : undefined;
}

/** `number`, `number[]`, or one of them among alternatives. */
function isNumberType(source: Source, type: ts.TypeNode | undefined): boolean {
  const { ts } = source;
  if (!type) return false;
  if (ts.isUnionTypeNode(type)) return type.types.some((each) => isNumberType(source, each));
  if (ts.isArrayTypeNode(type)) return isNumberType(source, type.elementType);
  return type.kind === ts.SyntaxKind.NumberKeyword;
}

/** Returns the name of the class around a node; '' outside of classes. */
function ownerOf({ ts }: Source, node: ts.Node): string {
  for (let at: ts.Node | undefined = node; at; at = at.parent) {
    if (ts.isClassDeclaration(at)) return at.name?.text ?? '';
  }
  return '';
}
