import { readdirSync, readFileSync } from 'node:fs';

/** What users import, and the source that it leads to. */
export interface EntryPoint {
  /** As users import it, such as `nestjs-snowflake/redis`. */
  readonly name: string;
  /** Relative to the repository. */
  readonly source: string;
}

const FOLDERS = readdirSync(new URL('../../libs', import.meta.url)).map((name) => `libs/${name}`);
/** For the packages of this project only. */
const INTERNAL = /^nestjs-snowflake(\/kit(-.*)?|-\w+\/tables)$/;

/** The entry points of the packages, as their manifests have them, without the internal ones. */
export function entryPoints(): EntryPoint[] {
  return FOLDERS.flatMap(entryPointsOf).filter(({ name }) => !INTERNAL.test(name));
}

function entryPointsOf(folder: string): EntryPoint[] {
  const text = readFileSync(new URL(`../../${folder}/package.json`, import.meta.url), 'utf8');
  const { name, exports } = JSON.parse(text) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, { readonly import?: { readonly default: string } }>>;
  };
  return Object.entries(exports).flatMap(([key, target]) => {
    const built = target.import?.default;
    if (built === undefined) return [];
    const source = built.replace('./dist/esm/', `${folder}/src/`).replace(/\.js$/, '.ts');
    return [{ name: name + key.slice(1), source }];
  });
}
