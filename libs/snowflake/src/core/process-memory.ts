import { VERSION } from './version.js';

/** What one version of the library remembers in this process, by name. */
type Memories = Map<string, object>;

/**
 * The key of the memories of each version in the global object. Neither the key nor this shape may ever change: it is how two
 * versions know of each other. What a version keeps under a name may.
 */
const VERSIONS = Symbol.for('nestjs-snowflake');

interface WithVersions {
  [VERSIONS]?: Map<string, Memories>;
}

function versions(): Map<string, Memories> {
  const { [VERSIONS]: known = new Map<string, Memories>() } = globalThis as WithVersions;
  (globalThis as WithVersions)[VERSIONS] = known;
  return known;
}

/**
 * Returns what all copies of this version share in this process under a name; the first copy makes it. There can be several: the
 * ES module and the CommonJS build, or two folders of a package manager. Worker threads and test files of Jest share nothing.
 */
export function sharedInProcess<Shared extends object>(name: string, make: () => Shared): Shared {
  const memories: Memories = versions().get(VERSION) ?? new Map<string, object>();
  versions().set(VERSION, memories);
  const known = (memories.get(name) as Shared | undefined) ?? make();
  memories.set(name, known);
  return known;
}

/** Returns what other versions of the library share in this process under a name. */
export function sharedByOtherVersions(
  name: string,
): { readonly version: string; readonly shared: unknown }[] {
  return [...versions()].flatMap(([version, memories]) =>
    version === VERSION || !memories.has(name) ? [] : [{ version, shared: memories.get(name) }],
  );
}

/**
 * Decorates a class so that all copies of this version use that of the first copy: `instanceof` and the injection token are the
 * same in all of them. Write it above the other decorators, which can register the class.
 */
export function oneInProcess(name: string) {
  return <Class extends abstract new (...args: never[]) => object>(own: Class): Class =>
    sharedInProcess(`class ${name}`, () => own);
}

/** Returns the memory of this name that belongs to `owner` and ends with it; makes one at the first call. */
export function memoryOf<Memory extends object>(owner: object, name: string, make: () => Memory): Memory {
  const owners = sharedInProcess(name, () => new WeakMap<object, Memory>());
  const known = owners.get(owner) ?? make();
  owners.set(owner, known);
  return known;
}
