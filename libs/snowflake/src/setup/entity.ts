import { nameText } from './arrays.js';
import type { App } from './app.js';
import { addImport, isImported, removeUnusedImport } from './imports.js';
import { NotUnderstoodError } from './not-understood.js';
import type { Source } from './source.js';
import type { ts } from './typescript.js';

const FROM = 'nestjs-snowflake/typeorm';
const DECORATOR = 'SnowflakeId';
const KEYS: readonly string[] = ['PrimaryGeneratedColumn', 'PrimaryColumn'];
/** Options that mean the same in both decorators, and options that the new one replaces. */
const KEPT = ['name', 'comment', 'primaryKeyConstraintName'];
const REPLACED = ['type', 'unsigned', 'generated'];

/**
 * Changes the primary key of a TypeORM entity to `@SnowflakeId()`.
 *
 * @throws NotUnderstoodError if there is no such entity, or its key has another form
 */
export function useSnowflakeId({ sources }: App, entityName: string): void {
  const found = sources.flatMap((source) => {
    const entity = entityIn(source, entityName);
    return entity ? [{ source, entity }] : [];
  });
  const [first] = found;
  if (first === undefined || found.length > 1)
    throw new NotUnderstoodError(
      `The app has ${found.length === 0 ? 'no' : 'more than one'} TypeORM entity ${entityName}.`,
    );
  changeKey(first.source, first.entity);
}

function entityIn(source: Source, name: string): ts.ClassDeclaration | undefined {
  const { ts } = source;
  return source.tree.statements.find(
    (each): each is ts.ClassDeclaration =>
      ts.isClassDeclaration(each) &&
      each.name?.text === name &&
      callsOf(source, each).some((call) => isImported(source, call.expression, 'Entity', 'typeorm')),
  );
}

function changeKey(source: Source, entity: ts.ClassDeclaration): void {
  const { ts } = source;
  const properties = entity.members.filter((each) => ts.isPropertyDeclaration(each));
  const has = (property: ts.PropertyDeclaration, name: string, from: string) =>
    callsOf(source, property).find((call) => isImported(source, call.expression, name, from));
  if (properties.some((each) => has(each, DECORATOR, FROM))) return;
  const keys = properties.flatMap((property) =>
    KEYS.flatMap((name) => {
      const call = has(property, name, 'typeorm');
      return call ? [{ property, call }] : [];
    }),
  );
  const [key] = keys;
  const name = entity.name?.text ?? '';
  if (key === undefined || keys.length > 1)
    throw new NotUnderstoodError(
      `The entity ${name} has ${keys.length === 0 ? 'no primary key itself' : 'a key of several columns'}.`,
    );
  const { type } = key.property;
  if (type === undefined || ![ts.SyntaxKind.NumberKeyword, ts.SyntaxKind.StringKeyword].includes(type.kind))
    throw new NotUnderstoodError(`The key of ${name} is declared as neither number nor string.`);
  source.edit(key.call.getStart(), key.call.getEnd(), `${DECORATOR}(${keptOptions(source, key.call, name)})`);
  source.edit(type.getStart(), type.getEnd(), 'string');
  addImport(source, DECORATOR, FROM);
  removeUnusedImport(source, key.call.expression.getText(), key.call.expression);
}

/** Returns the argument of the new decorator. */
function keptOptions(source: Source, { arguments: given }: ts.CallExpression, entity: string): string {
  const { ts } = source;
  const options = given.find((each) => !ts.isStringLiteralLike(each));
  if (options === undefined) return '';
  const members = ts.isObjectLiteralExpression(options) ? options.properties : [];
  const nameOf = (each: ts.ObjectLiteralElementLike) => (each.name && nameText(source, each.name)) ?? '';
  if (members.length === 0 || members.some((each) => ![...KEPT, ...REPLACED].includes(nameOf(each))))
    throw new NotUnderstoodError(
      `The key of ${entity} has options that @${DECORATOR}() doesn't have: \`${options.getText()}\`.`,
    );
  const kept = members.filter((each) => KEPT.includes(nameOf(each))).map((each) => each.getText());
  return kept.length === 0 ? '' : `{ ${kept.join(', ')} }`;
}

/** Returns the decorators of a declaration that are calls. */
function callsOf({ ts }: Source, node: ts.ClassDeclaration | ts.PropertyDeclaration): ts.CallExpression[] {
  return (ts.getDecorators(node) ?? []).flatMap(({ expression }) =>
    ts.isCallExpression(expression) ? [expression] : [],
  );
}
