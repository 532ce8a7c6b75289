import { dirname, join } from 'node:path';
import ts from 'typescript';
import type { Source } from './check.js';
import { PERMITTED_WRITES } from './rules.js';

/** Calls that change their first argument. */
const CHANGES_ARGUMENT =
  /^(Object\.(assign|defineProperty|defineProperties|setPrototypeOf)|Reflect\.(set|defineProperty|deleteProperty|setPrototypeOf))$/;

/** Methods of arrays, maps and sets that change them. */
const CHANGES_ITSELF = /^(push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear)$/;

/** A change of something that the file has not made. */
interface ForeignWrite {
  readonly line: number;
  readonly text: string;
}

/**
 * Every place where a source changes a class, a prototype or an object that another package or the runtime made: a
 * library that does so changes the app that installs it. As lines for people: `path:line: what`. It asks the compiler
 * for types, so that it does not matter what the object is called.
 *
 * @param root folder of the repository; the sources need not exist in it
 */
export function foreignWrites(root: string, sources: readonly Source[]): string[] {
  const files = new Map(sources.map(({ path, text }) => [join(root, path), text]));
  const options = compilerOptions(root);
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (file) => files.get(file) ?? readFile(file);
  host.fileExists = (file) => files.has(file) || fileExists(file);
  const program = ts.createProgram([...files.keys()], options, host);
  return sources.flatMap(({ path }) => {
    const source = program.getSourceFile(join(root, path));
    if (source === undefined) throw new Error(`${path} is not in the program`);
    return new WriteFinder(program.getTypeChecker(), source)
      .find()
      .filter(({ text }) => !PERMITTED_WRITES.some((point) => point.file === path && point.text === text))
      .map(({ line, text }) => `${path}:${line}: ${text} changes what another package has made`);
  });
}

/** Permitted writes that no source makes use of. */
export function unusedWritePermits(sources: readonly Source[]): string[] {
  return PERMITTED_WRITES.filter(
    ({ file, text }) => !sources.some((source) => source.path === file && source.text.includes(text)),
  ).map(({ file, text }) => `${file}: ${text} is allowed but not used`);
}

function compilerOptions(root: string): ts.CompilerOptions {
  const path = join(root, 'tsconfig.json');
  const { config } = ts.readConfigFile(path, ts.sys.readFile) as { config: unknown };
  return ts.parseJsonConfigFileContent({ ...(config as object), files: [] }, ts.sys, dirname(path)).options;
}

class WriteFinder {
  private readonly found: ForeignWrite[] = [];

  constructor(
    private readonly checker: ts.TypeChecker,
    private readonly source: ts.SourceFile,
  ) {}

  find(): readonly ForeignWrite[] {
    const visit = (node: ts.Node): void => {
      const changed = this.changedBy(node);
      if (changed !== undefined && this.isForeign(changed)) this.report(node, changed);
      ts.forEachChild(node, visit);
    };
    visit(this.source);
    return this.found;
  }

  private report(node: ts.Node, changed: ts.Expression): void {
    const { line } = this.source.getLineAndCharacterOfPosition(node.getStart(this.source));
    this.found.push({ line: line + 1, text: bare(changed).getText(this.source) });
  }

  /** The member that is assigned to, or the object that is changed as a whole. */
  private changedBy(node: ts.Node): ts.Expression | undefined {
    if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) return memberIn(node.left);
    if (ts.isDeleteExpression(node)) return memberIn(node.expression);
    if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
      const { PlusPlusToken, MinusMinusToken } = ts.SyntaxKind;
      return [PlusPlusToken, MinusMinusToken].some((kind) => kind === node.operator)
        ? memberIn(node.operand)
        : undefined;
    }
    if (!ts.isCallExpression(node)) return undefined;
    if (CHANGES_ARGUMENT.test(node.expression.getText(this.source))) return node.arguments[0];
    const method = bare(node.expression);
    if (!ts.isPropertyAccessExpression(method) || !CHANGES_ITSELF.test(method.name.text)) return undefined;
    // A method of that name may belong to anything, as to a client of Redis.
    return this.isOfRuntime(this.checker.getSymbolAtLocation(method.name))
      ? memberIn(method.expression)
      : undefined;
  }

  private isForeign(changed: ts.Expression): boolean {
    const expression = bare(changed);
    const isMember = isMemberAccess(expression);
    const owner = isMember ? bare(expression.expression) : expression;
    const member = isMember ? this.checker.getSymbolAtLocation(memberName(expression)) : undefined;
    return (
      this.isOfPackage(member) ||
      this.isOfPackage(this.checker.getTypeAtLocation(owner).getSymbol()) ||
      this.isGlobalOrImported(rootOf(owner))
    );
  }

  /** `Error`, `globalThis`, `process`, and what comes from a package by its name. */
  private isGlobalOrImported(root: ts.Expression): boolean {
    if (!ts.isIdentifier(root)) return false;
    const symbol = this.checker.getSymbolAtLocation(root);
    if (symbol === undefined || root.text === 'globalThis') return root.text === 'globalThis';
    const declaration = symbol.declarations?.[0];
    const imported = declaration && ts.findAncestor(declaration, ts.isImportDeclaration);
    if (imported) return !imported.moduleSpecifier.getText(this.source).slice(1).startsWith('.');
    return this.isOfRuntime(symbol) || this.isOfPackage(symbol);
  }

  private isOfPackage(symbol: ts.Symbol | undefined): boolean {
    return filesOf(symbol).some((file) => file.includes('/node_modules/') && !isRuntime(file));
  }

  private isOfRuntime(symbol: ts.Symbol | undefined): boolean {
    return filesOf(symbol).some(isRuntime);
  }
}

function filesOf(symbol: ts.Symbol | undefined): string[] {
  return (symbol?.declarations ?? []).map((declaration) => declaration.getSourceFile().fileName);
}

function isRuntime(file: string): boolean {
  return /\/node_modules\/(typescript\/lib|@types\/node)\//.test(file);
}

function isAssignment(kind: ts.SyntaxKind): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

type MemberAccess = ts.PropertyAccessExpression | ts.ElementAccessExpression;

function isMemberAccess(node: ts.Node): node is MemberAccess {
  return ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node);
}

function memberIn(expression: ts.Expression): ts.Expression | undefined {
  return isMemberAccess(bare(expression)) ? expression : undefined;
}

function memberName(access: MemberAccess): ts.Node {
  return ts.isPropertyAccessExpression(access) ? access.name : access.argumentExpression;
}

function rootOf(expression: ts.Expression): ts.Expression {
  const node = bare(expression);
  return isMemberAccess(node) ? rootOf(node.expression) : node;
}

/** Without parentheses, casts and `!`. */
function bare(expression: ts.Expression): ts.Expression {
  const isWrapped =
    ts.isParenthesizedExpression(expression) ||
    ts.isAsExpression(expression) ||
    ts.isNonNullExpression(expression) ||
    ts.isSatisfiesExpression(expression);
  return isWrapped ? bare(expression.expression) : expression;
}
