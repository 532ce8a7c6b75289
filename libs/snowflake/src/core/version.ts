/** Version of the package. `npm run release:version` sets it, because the package can't read its own manifest in a bundle. */
export const VERSION: string = '0.1.0';
