/**
 * A script with one of its mechanisms replaced, for a control that must see what the mechanism prevents. Throws when
 * the text no longer stands there, so that a control can't become a copy of the real thing.
 */
export function replaced(script: string, mechanism: string, by: string): string {
  if (script.split(mechanism).length !== 2) {
    throw new Error(`The script should contain once, but does not: ${mechanism}`);
  }
  return script.replace(mechanism, () => by);
}
