import type { Conditions, Manifest } from './packed-library.js';

/** The manifest of a package of ES modules alone, for controls. */
export function esmOnly({ main: _main, types: _types, typesVersions: _versions, ...rest }: Manifest): object {
  return { ...rest, exports: changeEntryPoints(rest.exports, (entryPoint) => entryPoint.import) };
}

/** The manifest without the condition that gives `require()` the ES modules in Node, for controls. */
export function withoutModuleSync(manifest: Manifest): object {
  const change = ({ 'module-sync': _sync, ...others }: Conditions): object => others;
  return { ...manifest, exports: changeEntryPoints(manifest.exports, change) };
}

function changeEntryPoints(exports: Manifest['exports'], change: (entryPoint: Conditions) => object): object {
  return Object.fromEntries(
    Object.entries(exports).map(([entryPoint, target]) => [
      entryPoint,
      typeof target === 'string' ? target : change(target),
    ]),
  );
}
