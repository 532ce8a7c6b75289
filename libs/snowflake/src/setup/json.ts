import { nameText } from './arrays.js';
import { NotUnderstoodError } from './not-understood.js';
import type { Source } from './source.js';
import type { ts } from './typescript.js';

/** Sets a text in an object of a JSON file, such as `dependencies.pg`. A new member goes where the names stay in order. */
export function setText(source: Source, section: string, name: string, value: string): void {
  const { ts } = source;
  const root = rootObject(source);
  const member = memberOf(source, root, section);
  if (member === undefined) {
    const last = root.properties.at(-1);
    const text = `${JSON.stringify(section)}: { ${JSON.stringify(name)}: ${JSON.stringify(value)} }`;
    addAfter(source, root, last, text);
    return;
  }
  if (!ts.isObjectLiteralExpression(member.initializer))
    throw new NotUnderstoodError(`In ${source.path}, "${section}" is not an object.`);
  const present = memberOf(source, member.initializer, name);
  if (present) {
    source.edit(present.initializer.getStart(), present.initializer.getEnd(), JSON.stringify(value));
    return;
  }
  const before = member.initializer.properties.filter((each) => (nameOf(source, each) ?? '') < name).at(-1);
  addAfter(source, member.initializer, before, `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
}

function addAfter(
  source: Source,
  object: ts.ObjectLiteralExpression,
  before: ts.ObjectLiteralElementLike | undefined,
  text: string,
): void {
  const [first] = object.properties;
  if (before !== undefined) {
    const gap = source.onOneLine(object.getStart(), before.getStart())
      ? ' '
      : source.style.eol + source.indentAt(before.getStart());
    source.edit(before.getEnd(), before.getEnd(), `,${gap}${text}`);
  } else if (first === undefined) source.edit(object.getStart(), object.getEnd(), `{ ${text} }`);
  else {
    const gap = source.onOneLine(object.getStart(), first.getStart())
      ? ' '
      : source.style.eol + source.indentAt(first.getStart());
    source.edit(first.getStart(), first.getStart(), `${text},${gap}`);
  }
}

function rootObject(source: Source): ts.ObjectLiteralExpression {
  const { ts } = source;
  const [statement] = source.tree.statements;
  if (statement && ts.isExpressionStatement(statement) && ts.isObjectLiteralExpression(statement.expression))
    return statement.expression;
  throw new NotUnderstoodError(`${source.path} is not a JSON object.`);
}

function memberOf(
  source: Source,
  object: ts.ObjectLiteralExpression,
  name: string,
): ts.PropertyAssignment | undefined {
  for (const each of object.properties)
    if (source.ts.isPropertyAssignment(each) && nameOf(source, each) === name) return each;
  return undefined;
}

function nameOf(source: Source, element: ts.ObjectLiteralElementLike): string | undefined {
  return element.name && nameText(source, element.name);
}
