import { dirname, join, normalize } from 'node:path/posix';
import type ts from 'typescript';
import { entryPoints } from '../entry-points.js';
import type { LayerRule, PackageRules } from './rules.js';
import { factsOf, type Found, type SourceFacts } from './source-facts.js';
import { type ImportingFile, pathOf } from './sources.js';

const ENTRY_POINTS = new Set(entryPoints().map(({ name }) => name));

const DISABLED_CHECK = /(oxlint|eslint)-disable|(prettier|oxfmt)-ignore/;

/** Everything in the sources of a package that breaks its rules, as lines for people: `path:line: what`. */
export function checkSources(sources: readonly ts.SourceFile[], rules: PackageRules): string[] {
  return sources.flatMap((source) => {
    const disabled = DISABLED_CHECK.exec(source.text);
    return [
      ...(disabled ? [`${pathOf(source)}: ${disabled[0]}`] : []),
      ...checkSource(pathOf(source), factsOf(source), rules),
    ];
  });
}

function checkSource(path: string, facts: SourceFacts, rules: PackageRules): string[] {
  const file = path.slice(rules.root.length);
  const layer = layerOf(file);
  const rule = rules.layers[layer];
  if (rule === undefined) return [`${path}:1: no rule for the layer ${layer}`];
  const ownStatements = isEntryPoint(file) ? facts.ownStatements : [];
  return [
    ...facts.imports.flatMap(report(path, ({ text }) => importProblem(file, layer, rule, text))),
    ...facts.readsOfTheTime.flatMap(
      report(path, ({ text }) => `${text} reads the clock; take a Clock instead`),
    ),
    ...ownStatements.flatMap(report(path, ({ text }) => `an entry point only re-exports: ${text}`)),
  ];
}

/** Returns the imports that a file of an app must not have. Like any user, it imports only entry points of the library. */
export function foreignToApps({ path, imports }: ImportingFile): string[] {
  return imports.filter((specifier) => {
    const target = resolved(path, specifier);
    return (
      /^(libs|\.\.)\//.test(target) || (target.startsWith('nestjs-snowflake') && !ENTRY_POINTS.has(target))
    );
  });
}

/** A relative import as a path, and another one as it is. */
export function resolved(path: string, specifier: string): string {
  return specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : specifier;
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

/** `stores` allows the files in that folder itself, `stores/*` every store below it. */
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
  if (second === undefined) return 'entry point';
  const hasLayersBelow = ['kit', 'prisma', 'stores'].includes(String(first));
  return hasLayersBelow && third !== undefined ? `${first}/${second}` : String(first);
}

function isEntryPoint(file: string): boolean {
  return layerOf(file) === 'entry point';
}
