import { dirname, join, normalize } from 'node:path/posix';
import {
  FORBIDDEN_NAMES,
  FORBIDDEN_TEXT,
  LIBRARY,
  PACKAGES,
  type LayerRule,
  type PackageRules,
  type Permission,
} from './rules.js';
import { readSourceFacts, type Found, type SourceFacts } from './source-facts.js';

/** A source, with its path relative to the repository, `/` as separator. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

const DOORS =
  /^nestjs-snowflake(-console|\/(codecs|core|event-emitter|graphql|http|obfuscation|opentelemetry|prometheus|redis|rxjs|segments|series|sql|standalone|store-testing|swagger|terminus|testing|typeorm|validation))?$/;

/** Everything in `sources` that breaks a rule, as lines for people: `path:line: what`. */
export function checkSources(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const facts = readSourceFacts(source.path, source.text);
    const rules = PACKAGES.find(({ root }) => source.path.startsWith(root));
    return [
      ...checkText(source),
      ...(rules ? checkPackageSource(source.path, facts, rules) : checkAppSource(source.path, facts)),
    ];
  });
}

/** Permissions that nothing makes use of. */
export function unusedPermissions(sources: readonly Source[], { root, permissions } = LIBRARY): string[] {
  return permissions.flatMap(({ file, names }) => {
    const source = sources.find(({ path }) => path === root + file);
    const used =
      source === undefined ? [] : readSourceFacts(file, source.text).impurities.map(({ text }) => text);
    return names
      .filter((name) => !used.includes(name))
      .map((name) => `${file}: ${name} is allowed but not used`);
  });
}

function checkText({ path, text }: Source): string[] {
  return text.split('\n').flatMap((line, index) => {
    const match = FORBIDDEN_TEXT.map((pattern) => pattern.exec(line)).find((found) => found !== null);
    return match ? [`${path}:${index + 1}: ${match[0]}`] : [];
  });
}

function checkPackageSource(path: string, facts: SourceFacts, rules: PackageRules): string[] {
  const file = path.slice(rules.root.length);
  const layer = layerOf(file);
  const rule = rules.layers[layer];
  if (rule === undefined) return [`${path}:1: no rule for the layer ${layer}`];
  return [
    ...facts.imports.flatMap(report(path, ({ text }) => importProblem(file, layer, rule, text))),
    ...facts.importedNames.flatMap(
      report(path, ({ text }) =>
        Object.hasOwn(FORBIDDEN_NAMES, text) ? `${text}: ${FORBIDDEN_NAMES[text]}` : undefined,
      ),
    ),
    ...facts.impurities.flatMap(report(path, ({ text }) => impurityProblem(file, text, rules.permissions))),
    ...(isDoor(file)
      ? facts.ownStatements.flatMap(report(path, ({ text }) => `a door only re-exports: ${text}`))
      : []),
  ];
}

/** An app is a user: it knows the library by its doors. */
function checkAppSource(path: string, facts: SourceFacts): string[] {
  return facts.imports.flatMap(
    report(path, ({ text }) => {
      const target = text.startsWith('.') ? normalize(join(dirname(path), text)) : text;
      const isInside = target.startsWith('libs/') || target.startsWith('..');
      const isNoDoor = target.startsWith('nestjs-snowflake') && !DOORS.test(target);
      return isInside || isNoDoor ? `imports ${text}, which is no door of the library` : undefined;
    }),
  );
}

function report(path: string, problemOf: (found: Found) => string | undefined): (found: Found) => string[] {
  return (found) => {
    const problem = problemOf(found);
    return problem ? [`${path}:${found.line}: ${problem}`] : [];
  };
}

function importProblem(file: string, layer: string, rule: LayerRule, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) {
    return allowsPackage(rule, specifier) ? undefined : `${layer} must not import ${specifier}`;
  }
  const target = normalize(join(dirname(file), specifier));
  if (target.startsWith('..')) return `${layer} must not import ${specifier} from outside of the library`;
  const targetLayer = layerOf(target);
  if (targetLayer === layer || allowsLayer(rule, targetLayer)) return undefined;
  return `${layer} must not import ${targetLayer} (${specifier})`;
}

function impurityProblem(file: string, name: string, permissions: readonly Permission[]): string | undefined {
  const isAllowed = permissions.some(
    (permission) => permission.file === file && permission.names.includes(name),
  );
  return isAllowed ? undefined : `${name} belongs to core/clock/system-clock.ts; take a Clock instead`;
}

/** `stores` allows what lies in that folder itself; `stores/*` every store below it. */
function allowsLayer(rule: LayerRule, layer: string): boolean {
  return rule.layers.some((allowed) => layer === allowed || startsAsWildcard(allowed, layer));
}

/** A package allows its sub-paths. */
function allowsPackage(rule: LayerRule, specifier: string): boolean {
  return rule.packages.some(
    (allowed) =>
      specifier === allowed || specifier.startsWith(`${allowed}/`) || startsAsWildcard(allowed, specifier),
  );
}

function startsAsWildcard(pattern: string, name: string): boolean {
  return pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1));
}

function layerOf(file: string): string {
  const [first, second, third] = file.split('/');
  if (second === undefined) return first === 'index.ts' ? 'door' : `door/${first?.replace('.ts', '')}`;
  const hasLayersBelow = first === 'stores' || first === 'segments';
  return hasLayersBelow && third !== undefined ? `${first}/${second}` : String(first);
}

function isDoor(file: string): boolean {
  return layerOf(file).startsWith('door') || file.endsWith('/index.ts');
}
