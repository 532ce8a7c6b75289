/** Returns whether an import failed because this package is not installed. False if it is, and lacks another one. */
export function isMissingPackage(name: string, error: unknown): boolean {
  const { code, message }: { code?: unknown; message?: unknown } = Object(error);
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return false;
  // Node, Jest and webpack quote the name. Yarn's Plug'n'Play also names the package that wants it.
  const forms = [`'${name}'`, `"${name}"`, `Required package: ${name}\n`, `Required package: ${name} (`];
  return forms.some((form) => String(message).includes(form));
}
