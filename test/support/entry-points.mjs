import { existsSync, readdirSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);

/** The folders of the packages, relative to the repository. */
export const PACKAGE_FOLDERS = readdirSync(new URL('libs', ROOT))
  .sort()
  .map((name) => `libs/${name}`);

/** The entry points of a package by its `exports`, where a star stands for every folder that has an `index.ts`. */
export function entryPointsOf(folder) {
  const { name, exports } = JSON.parse(readFileSync(new URL(`${folder}/package.json`, ROOT), 'utf8'));
  return (
    Object.entries(exports)
      // Others are files, such as package.json, or single modules for the packages of this project.
      .filter(([key, target]) => target.import !== undefined && !key.startsWith('./internal/'))
      .flatMap(([key, target]) => {
        const source = `${folder}/${target.import.replace('./dist/esm/', 'src/').replace(/\.js$/, '.ts')}`;
        return namesFor(source).map((star) => ({
          name: name + key.slice(1).replace('*', star),
          source: source.replace('*', star),
          esm: target.import.replace('*', star),
          cjs: target.require.replace('*', star),
        }));
      })
  );
}

/** What the star in the path of a source stands for, or one empty name if it has none. */
function namesFor(source) {
  const [parent, child] = source.split('*');
  if (child === undefined) return [''];
  return readdirSync(new URL(parent, ROOT))
    .filter((name) => existsSync(new URL(parent + name + child, ROOT)))
    .sort();
}
