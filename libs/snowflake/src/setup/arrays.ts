import { NotUnderstoodError } from './not-understood.js';
import type { Source } from './source.js';
import type { ts } from './typescript.js';

/**
 * Puts a name first into an array that is a property of an object literal, and adds the property if the object has none.
 *
 * @throws NotUnderstoodError if a spread could replace the property
 */
export function addToArray(
  source: Source,
  object: ts.ObjectLiteralExpression,
  property: string,
  name: string,
): void {
  const { ts } = source;
  const at = object.properties.findIndex(
    (each) => each.name !== undefined && nameText(source, each.name) === property,
  );
  const spreads = object.properties.slice(at + 1).some((each) => ts.isSpreadAssignment(each));
  if (spreads) throw new NotUnderstoodError(`In ${source.path}, a spread can replace \`${property}\`.`);
  const found = object.properties[at];
  if (found === undefined) addProperty(source, object, `${property}: [${name}]`);
  else if (ts.isShorthandPropertyAssignment(found))
    source.edit(found.getEnd(), found.getEnd(), `: [${name}, ...${property}]`);
  else if (ts.isPropertyAssignment(found)) addElement(source, found.initializer, name);
  else
    throw new NotUnderstoodError(`In ${source.path}, \`${property}\` is neither an array nor an expression.`);
}

/** Puts a name first into an array, unless it is there. Another expression becomes a spread. */
function addElement(source: Source, expression: ts.Expression, name: string): void {
  const { ts } = source;
  const array = unwrapped(source, expression);
  if (!ts.isArrayLiteralExpression(array)) {
    source.edit(expression.getStart(), expression.getStart(), `[${name}, ...`);
    source.edit(expression.getEnd(), expression.getEnd(), ']');
    return;
  }
  const [first] = array.elements;
  if (array.elements.some((each) => ts.isIdentifier(each) && each.text === name)) return;
  if (first === undefined) {
    source.edit(array.getStart() + 1, array.getStart() + 1, name);
    return;
  }
  const start = source.startWithComments(first);
  const gap = source.onOneLine(array.getStart(), start) ? ' ' : source.style.eol + source.indentAt(start);
  source.edit(start, start, `${name},${gap}`);
}

/** Returns an expression without parentheses and without what only types see. */
export function unwrapped(source: Source, expression: ts.Expression): ts.Expression {
  const { ts } = source;
  let inner = expression;
  while (ts.isParenthesizedExpression(inner) || ts.isAsExpression(inner) || ts.isSatisfiesExpression(inner))
    inner = inner.expression;
  return inner;
}

/** Returns the name of a property, quoted or not; `undefined` if it is computed. */
export function nameText({ ts }: Source, name: ts.PropertyName): string | undefined {
  return ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : undefined;
}

function addProperty(source: Source, object: ts.ObjectLiteralExpression, text: string): void {
  const [first] = object.properties;
  if (first === undefined) {
    source.edit(object.getStart(), object.getEnd(), `{ ${text} }`);
    return;
  }
  const start = source.startWithComments(first);
  const gap = source.onOneLine(object.getStart(), start) ? ' ' : source.style.eol + source.indentAt(start);
  source.edit(start, start, `${text},${gap}`);
}
