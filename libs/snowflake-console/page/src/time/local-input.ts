/** Returns what an `<input type="datetime-local">` shows for a time in the viewer's zone. */
export function inputOf(timeMs: number): string {
  const date = new Date(timeMs);
  return new Date(timeMs - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 23);
}

/** Returns the time that such an input means, or undefined if it is empty or invalid. */
export function timeOf(input: string): number | undefined {
  const timeMs = new Date(input).getTime();
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
