/** The names of properties and parameters that hold IDs. */
export const ID_NAME = /(?:^|_)[iI][dD]s?$|[a-z\d]I[dD]s?$/;

/** Returns whether a name in source code is that of an ID. A constant in capital letters is a setting. */
export function isIdName(name: string): boolean {
  return ID_NAME.test(name) && /[a-z]/.test(name);
}
