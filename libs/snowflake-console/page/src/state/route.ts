import { signal } from '@preact/signals';

export const PAGES = ['decode', 'workers', 'generate', 'layouts', 'time'] as const;
export type PageName = (typeof PAGES)[number];

/** What the part of the address after `#` says: `#/decode?layout=twitter`. */
export interface Route {
  readonly page: PageName;
  readonly parameters: URLSearchParams;
}

function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const page = PAGES.find((name) => name === path) ?? 'decode';
  return { page, parameters: new URLSearchParams(query) };
}

export const route = signal<Route>(routeOf(location.hash));

/** Follows the address while the page is open. */
export function followAddress(onChange: (route: Route) => void): void {
  addEventListener('hashchange', () => {
    route.value = routeOf(location.hash);
    onChange(route.value);
  });
}

/** Returns the address of a page with these parameters. */
export function addressOf(page: PageName, parameters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(parameters).toString();
  return `#/${page}${query ? `?${query}` : ''}`;
}
