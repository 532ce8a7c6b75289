import type { Conditions, Manifest } from './packed-library.js';

/** The manifest of a package of ES modules alone, for controls. */
export function esmOnly({ main: _main, types: _types, typesVersions: _versions, ...rest }: Manifest): object {
  return { ...rest, exports: changeDoors(rest.exports, (door) => door.import) };
}

/** The manifest without the condition that gives `require()` the ES modules in Node, for controls. */
export function withoutModuleSync(manifest: Manifest): object {
  const change = ({ 'module-sync': _sync, ...others }: Conditions): object => others;
  return { ...manifest, exports: changeDoors(manifest.exports, change) };
}

function changeDoors(exports: Manifest['exports'], change: (door: Conditions) => object): object {
  return Object.fromEntries(
    Object.entries(exports).map(([door, target]) => [
      door,
      typeof target === 'string' ? target : change(target),
    ]),
  );
}
