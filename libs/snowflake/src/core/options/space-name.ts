/** Returns whether a value can name an ID space or a tag: 1 to 128 characters of `A-Z a-z 0-9 _ . : -`. */
export function isSpaceName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_.:-]{1,128}$/.test(value);
}
