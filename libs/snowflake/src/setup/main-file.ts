import { unwrapped } from './arrays.js';
import { isImported } from './imports.js';
import { NotUnderstoodError } from './not-understood.js';
import type { Source } from './source.js';
import type { ts } from './typescript.js';

/** What the file that starts the app does. */
export interface Bootstrap {
  /** The name of the class that it passes to NestFactory. */
  readonly rootModule: string;
  /** The name of the variable that holds the app. */
  readonly app: string;
  /** The statement that declares the variable, or assigns it. */
  readonly statement: ts.Statement;
}

const HOOK = 'enableShutdownHooks';
const FACTORIES: readonly string[] = ['create', 'createMicroservice', 'createApplicationContext'];

/** Returns how a file starts the app. @throws NotUnderstoodError if it does so in another form, or several times */
export function bootstrapOf(source: Source): Bootstrap {
  const found = [...source.nodes()].flatMap((node) => {
    const bootstrap = bootstrapIn(source, node);
    return bootstrap ? [bootstrap] : [];
  });
  const [bootstrap] = found;
  if (bootstrap === undefined || found.length > 1)
    throw new NotUnderstoodError(
      `${source.path} has ${found.length === 0 ? 'no' : 'more than one'} \`const app = await NestFactory.create(AppModule)\`.`,
    );
  return bootstrap;
}

function bootstrapIn(source: Source, node: ts.Node): Bootstrap | undefined {
  const { ts } = source;
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression: factory, name } = node.expression;
  const [rootModule] = node.arguments;
  if (!isImported(source, factory, 'NestFactory', '@nestjs/core') || !FACTORIES.includes(name.text))
    return undefined;
  const holder = holderOf(source, node);
  return holder && rootModule && ts.isIdentifier(rootModule)
    ? { rootModule: rootModule.text, ...holder }
    : undefined;
}

/** Returns the variable that gets the value of a call, by its declaration or by an assignment. */
function holderOf(source: Source, call: ts.Expression): Pick<Bootstrap, 'app' | 'statement'> | undefined {
  const { ts } = source;
  let value: ts.Node = call;
  while (value.parent && ts.isExpression(value.parent) && !ts.isBinaryExpression(value.parent)) {
    const isWrapper = ts.isAwaitExpression(value.parent) || unwrapped(source, value.parent) !== value.parent;
    if (!isWrapper) return undefined;
    value = value.parent;
  }
  const { parent } = value;
  if (ts.isVariableDeclaration(parent) && ts.isIdentifier(parent.name)) {
    const statement = parent.parent.parent;
    return ts.isVariableStatement(statement) ? { app: parent.name.text, statement } : undefined;
  }
  if (!ts.isBinaryExpression(parent) || parent.operatorToken.kind !== ts.SyntaxKind.EqualsToken)
    return undefined;
  const isHeld = ts.isIdentifier(parent.left) && ts.isExpressionStatement(parent.parent);
  return isHeld
    ? { app: parent.left.getText(), statement: parent.parent as ts.ExpressionStatement }
    : undefined;
}

/**
 * Makes the app stop in good order when its process gets a signal, unless it does so already.
 *
 * @param useProcessExit whether this version of Nest can end the process with exit code 0
 */
export function enableShutdownHooks(source: Source, bootstrap: Bootstrap, useProcessExit: boolean): void {
  const { ts } = source;
  for (const node of source.nodes())
    if (ts.isPropertyAccessExpression(node) && node.name.text === HOOK) return;
  const { semicolon, eol } = source.style;
  const line = shutdownHooksLine(bootstrap.app, useProcessExit) + semicolon;
  const listening = statementThatListens(source, bootstrap);
  if (listening === undefined) {
    const end = source.endWithComment(bootstrap.statement);
    source.edit(end, end, eol + source.indentAt(bootstrap.statement.getStart()) + line);
    return;
  }
  const start = source.startWithComments(listening);
  source.edit(start, start, line + eol + source.indentAt(start));
}

/** Returns the call that enables the hooks, without a semicolon. */
export function shutdownHooksLine(app: string, useProcessExit: boolean): string {
  return `${app}.${HOOK}(${useProcessExit ? '[], { useProcessExit: true }' : ''})`;
}

/** Returns the statement in the same block that starts to listen. */
function statementThatListens(source: Source, { app, statement }: Bootstrap): ts.Statement | undefined {
  const { ts } = source;
  const block = statement.parent;
  if (!ts.isBlock(block) && !ts.isSourceFile(block)) return undefined;
  return block.statements.find((each) =>
    [...source.nodes(each)].some(
      (node) =>
        ts.isPropertyAccessExpression(node) &&
        ts.isIdentifier(node.expression) &&
        node.expression.text === app &&
        ['listen', 'startAllMicroservices'].includes(node.name.text),
    ),
  );
}
