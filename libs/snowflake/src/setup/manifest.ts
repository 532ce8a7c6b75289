import type { AppFiles } from './app-files.js';
import { UnfitAppError } from './not-understood.js';

/** What the setup reads in the `package.json` of the app. */
export interface Manifest {
  readonly name: string;
  readonly isEsModule: boolean;
  readonly scripts: Readonly<Record<string, string>>;
  /** All packages that the app names, with their ranges. */
  readonly packages: Readonly<Record<string, string>>;
  /** Where the schema of Prisma is, if the file says so. */
  readonly prismaSchema: string | undefined;
}

/** Reads the `package.json` of the app. @throws UnfitAppError if there is none, or it is not JSON */
export function readManifest(files: AppFiles): Manifest {
  const text = files.read('package.json');
  if (text === undefined)
    throw new UnfitAppError('This folder has no package.json. Run it in the folder of a Nest app.');
  const json = parsed(text);
  return {
    name: textOf(json, 'name') ?? 'app',
    isEsModule: json['type'] === 'module',
    scripts: textsOf(json['scripts']),
    packages: {
      ...textsOf(json['peerDependencies']),
      ...textsOf(json['devDependencies']),
      ...textsOf(json['dependencies']),
    },
    prismaSchema: textOf(Object(json['prisma']), 'schema'),
  };
}

/** A version as numbers: major, minor, patch. */
export type Version = readonly [number, number, number];

/**
 * Returns the version of a package that is installed in the folder of the app, or else the lowest one that the app accepts. Returns
 * `undefined` if the app doesn't name the package.
 */
export function versionOf(files: AppFiles, { packages }: Manifest, name: string): Version | undefined {
  const installed = files.read(`node_modules/${name}/package.json`);
  return versionIn(installed === undefined ? packages[name] : textOf(parsed(installed), 'version'));
}

/** Returns whether a version is at least another one. */
export function isAtLeast(version: Version, other: Version): boolean {
  const at = version.findIndex((each, index) => each !== other[index]);
  return at === -1 || (version[at] ?? 0) > (other[at] ?? 0);
}

function versionIn(text: string | undefined): Version | undefined {
  const found = /(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(text ?? '');
  return found ? [Number(found[1]), Number(found[2] ?? 0), Number(found[3] ?? 0)] : undefined;
}

function parsed(text: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(text);
    return Object(json);
  } catch {
    throw new UnfitAppError('A package.json is not valid JSON.');
  }
}

function textOf(json: object, name: string): string | undefined {
  const value: unknown = Reflect.get(json, name);
  return typeof value === 'string' ? value : undefined;
}

function textsOf(value: unknown): Record<string, string> {
  const entries = Object.entries(Object(value) as Record<string, unknown>);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
