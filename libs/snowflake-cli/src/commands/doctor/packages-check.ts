import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import satisfies from 'semver/functions/satisfies.js';
import { type Finding, finding } from './findings.js';

interface Manifest {
  readonly version: string;
  readonly engines?: { readonly node?: string };
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const LIBRARY = 'nestjs-snowflake';

/**
 * Compares the versions of the installed packages with the ranges of the library's own `package.json`. A package that is
 * not installed is not a finding: an app installs only what it uses.
 *
 * @param projectFolder where the search for packages begins
 */
export function examinePackages(projectFolder: string, nodeVersion: string): Finding[] {
  const installed = (name: string): Manifest | undefined => manifestOf(name, projectFolder);
  const library = installed(LIBRARY);
  if (library === undefined) return [];
  const findings: Finding[] = [];
  const nodeRange = library.engines?.node;
  if (nodeRange !== undefined && !isWithin(nodeVersion, nodeRange)) {
    const problem = `Node.js is ${nodeVersion}, but ${LIBRARY} ${library.version} needs ${nodeRange}.`;
    findings.push(finding('NODE_VERSION', problem));
  }
  for (const [name, range] of Object.entries(library.peerDependencies ?? {})) {
    const version = installed(name)?.version;
    if (version === undefined || isWithin(version, range)) continue;
    const problem = `${name} is ${version}, but ${LIBRARY} ${library.version} needs ${range}.`;
    const remedy = `Run: npm install ${name}@"${range}"`;
    findings.push(finding('PEER_VERSION', problem, { remedy }));
  }
  return findings;
}

/** Returns whether the library is installed in a folder, so that its packages can be examined. */
export function hasLibrary(projectFolder: string): boolean {
  return manifestOf(LIBRARY, projectFolder) !== undefined;
}

function isWithin(version: string, range: string): boolean {
  return satisfies(version, range, { includePrerelease: true });
}

/** Searches for the file by path, because many packages don't export their `package.json`. */
function manifestOf(name: string, folder: string): Manifest | undefined {
  const places = createRequire(join(folder, 'package.json')).resolve.paths(name) ?? [];
  const file = places.map((place) => join(place, name, 'package.json')).find(existsSync);
  return file === undefined ? undefined : (JSON.parse(readFileSync(file, 'utf8')) as Manifest);
}
