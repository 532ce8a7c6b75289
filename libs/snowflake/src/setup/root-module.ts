import { addToArray, unwrapped } from './arrays.js';
import { addImport, isImported } from './imports.js';
import { NotUnderstoodError } from './not-understood.js';
import type { Source } from './source.js';
import type { ts } from './typescript.js';

/** A module to import: the name of its class, and the path that the import writes. */
export interface ModuleImport {
  readonly name: string;
  readonly from: string;
}

/**
 * Adds a module to the imports of another one.
 *
 * @param className the class of the module that imports it
 * @throws NotUnderstoodError if the class or its options have another form
 */
export function importModule(source: Source, className: string, { name, from }: ModuleImport): void {
  addToArray(source, moduleOptions(source, className), 'imports', name);
  addImport(source, name, from);
}

/** Returns the object that a class passes to `@Module()`. @throws NotUnderstoodError if it is not an object literal */
function moduleOptions(source: Source, className: string): ts.ObjectLiteralExpression {
  const { ts } = source;
  const decorated = classOf(source, className);
  const [decorator] = (ts.getDecorators(decorated) ?? []).flatMap(({ expression }) =>
    ts.isCallExpression(expression) && isImported(source, expression.expression, 'Module', '@nestjs/common')
      ? [expression]
      : [],
  );
  const [options] = decorator?.arguments ?? [];
  if (options === undefined)
    throw new NotUnderstoodError(`${className} in ${source.path} has no \`@Module({ … })\`.`);
  const object = unwrapped(source, options);
  if (ts.isObjectLiteralExpression(object)) return object;
  throw new NotUnderstoodError(
    `The options of ${className} in ${source.path} are \`${object.getText()}\`, not an object.`,
  );
}

function classOf(source: Source, className: string): ts.ClassDeclaration {
  const { ts } = source;
  for (const node of source.tree.statements)
    if (ts.isClassDeclaration(node) && node.name?.text === className) return node;
  throw new NotUnderstoodError(`${source.path} has no class ${className}.`);
}
