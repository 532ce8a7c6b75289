import { createHash } from 'node:crypto';
import ts from 'typescript';

/** One altered place of one source file. */
export interface Mutant {
  /** The same as long as its line and change are the same, wherever the line stands. */
  readonly id: string;
  /** Path from the root of the repository. */
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly original: string;
  readonly replacement: string;
}

type Edit = Pick<Mutant, 'start' | 'end' | 'replacement'>;

const K = ts.SyntaxKind;

const SWAPS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [K.AmpersandAmpersandToken, '||'],
  [K.BarBarToken, '&&'],
  [K.LessThanToken, '<='],
  [K.LessThanEqualsToken, '<'],
  [K.GreaterThanToken, '>='],
  [K.GreaterThanEqualsToken, '>'],
  [K.EqualsEqualsEqualsToken, '!=='],
  [K.ExclamationEqualsEqualsToken, '==='],
  [K.PlusToken, '-'],
  [K.MinusToken, '+'],
]);

const LOGICAL = new Set([K.AmpersandAmpersandToken, K.BarBarToken, K.QuestionQuestionToken]);

/** Returns every mutant of a source file. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const seen = new Map<string, number>();
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    for (const edit of editsOf(node, source)) mutants.push(mutantOf(edit, file, source, seen));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants;
}

function mutantOf(edit: Edit, file: string, source: ts.SourceFile, seen: Map<string, number>): Mutant {
  const { text } = source;
  const { line } = source.getLineAndCharacterOfPosition(edit.start);
  const original = text.slice(edit.start, edit.end);
  const lineText = text.split('\n')[line]?.trim();
  const key = [file, lineText, original, edit.replacement].join('|');
  const times = (seen.get(key) ?? 0) + 1;
  seen.set(key, times);
  const id = createHash('sha1').update(`${key}|${times}`).digest('hex').slice(0, 12);
  return { id, file, line: line + 1, original, ...edit };
}

function editsOf(node: ts.Node, source: ts.SourceFile): Edit[] {
  const replace = (target: ts.Node, replacement: string): Edit => ({
    start: target.getStart(source),
    end: target.getEnd(),
    replacement,
  });
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return conditionEdits(node.expression, replace);
  if (ts.isConditionalExpression(node)) return conditionEdits(node.condition, replace);
  if (ts.isBinaryExpression(node)) return binaryEdits(node, replace);
  if (ts.isExpressionStatement(node)) return isCallOrAssignment(node.expression) ? [replace(node, ';')] : [];
  if (node.kind === K.TrueKeyword) return [replace(node, 'false')];
  if (node.kind === K.FalseKeyword) return [replace(node, 'true')];
  if (ts.isPropertyAccessExpression(node) && node.expression.getText(source) === 'Math') {
    const other = { max: 'Math.min', min: 'Math.max' }[node.name.text];
    return other === undefined ? [] : [replace(node, other)];
  }
  return returnEarly(node, source);
}

function conditionEdits(condition: ts.Expression, replace: (target: ts.Node, by: string) => Edit): Edit[] {
  return [replace(condition, `!(${condition.getText()})`), replace(condition, 'false')];
}

function binaryEdits(node: ts.BinaryExpression, replace: (target: ts.Node, by: string) => Edit): Edit[] {
  const { left, operatorToken, right } = node;
  if (operatorToken.kind === K.PlusToken && [left, right].some(isText)) return [];
  const swap = SWAPS.get(operatorToken.kind);
  const edits = swap === undefined ? [] : [replace(operatorToken, swap)];
  if (LOGICAL.has(operatorToken.kind))
    edits.push(replace(node, left.getText()), replace(node, right.getText()));
  return edits;
}

function isText(node: ts.Expression): boolean {
  if (ts.isBinaryExpression(node)) return isText(node.left) || isText(node.right);
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function isCallOrAssignment(expression: ts.Expression): boolean {
  if (ts.isAwaitExpression(expression) || ts.isVoidExpression(expression) || ts.isYieldExpression(expression))
    return expression.expression !== undefined && isCallOrAssignment(expression.expression);
  if (ts.isCallExpression(expression)) return expression.expression.kind !== K.SuperKeyword;
  if (!ts.isBinaryExpression(expression)) return false;
  const { kind } = expression.operatorToken;
  return kind >= K.FirstAssignment && kind <= K.LastAssignment;
}

/** A function that returns nothing does nothing. */
function returnEarly(node: ts.Node, source: ts.SourceFile): Edit[] {
  if (!ts.isMethodDeclaration(node) && !ts.isFunctionDeclaration(node)) return [];
  const type = node.type?.getText(source) ?? '';
  if (!/(^|<)void>?$/.test(type) || !node.body || node.body.statements.length === 0) return [];
  const start = node.body.getStart(source) + 1;
  return [{ start, end: start, replacement: ' return;' }];
}
