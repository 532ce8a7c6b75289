import type { Manifest } from './packed-library.js';

/** The manifest of a package of ES modules alone, for controls. */
export function esmOnly(manifest: Manifest): object {
  const exports = Object.entries(manifest.exports).map(([key, target]) => [
    key,
    typeof target === 'string' ? target : target.import,
  ]);
  const others = { main: undefined, types: undefined, typesVersions: undefined };
  return { ...manifest, ...others, exports: Object.fromEntries(exports) };
}
