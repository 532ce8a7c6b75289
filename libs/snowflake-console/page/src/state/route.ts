import { signal } from '@preact/signals';

export const PAGES = ['decode', 'workers', 'generate', 'layouts', 'time'] as const;
export type PageName = (typeof PAGES)[number];

/** What the part of the address after `#` says: `#/decode?layout=twitter`. */
export interface Route {
  readonly page: PageName;
  readonly parameters: URLSearchParams;
}

/** Parameters of an address, by name. */
export type Parameters = Readonly<Record<string, string>>;

/** Parses an address. A text that was written into it by hand can itself contain a `?`. */
export function routeOf(hash: string): Route {
  const whole = hash.replace(/^#\/?/, '');
  const mark = whole.indexOf('?');
  const path = mark === -1 ? whole : whole.slice(0, mark);
  const page = PAGES.find((name) => name === path) ?? 'decode';
  return { page, parameters: new URLSearchParams(mark === -1 ? '' : whole.slice(mark + 1)) };
}

/** Returns whether the part of an address after `#` is empty or names a page, and isn't the anchor of a heading. */
export function isAddress(hash: string): boolean {
  return hash === '' || hash.startsWith('#/');
}

export const route = signal<Route>(routeOf(globalThis.location?.hash ?? ''));

/** Returns the address of a page with these parameters. */
export function addressOf(page: PageName, parameters: Parameters = {}): string {
  const query = new URLSearchParams(parameters).toString();
  return `#/${page}${query ? `?${query}` : ''}`;
}
