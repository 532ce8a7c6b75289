import { batch, effect } from '@preact/signals';
import { addressOf, isAddress, type PageName, type Parameters, route, type Route, routeOf } from './route.js';

/** The content that the address stands for. */
export interface AddressContent<Memory> {
  /** Returns the parameters of a page. Reads signals. */
  readonly shown: (page: PageName) => Parameters;
  /** Shows the content of an address, or the stored content of an entry of the history. */
  readonly open: (route: Route, memory?: Memory) => Promise<void> | void;
  /** Returns the content that the address leaves out, as a JSON value. */
  readonly remember: () => Memory;
}

/** The state of an entry of the browser's history, which survives a reload. */
interface EntryState {
  readonly entry?: string;
}

/** Browsers refuse to write the address for every key: Safari after 100 times in 30 s. */
const BETWEEN_WRITES_MS = 310;

/**
 * Keeps the address current while what is shown changes, and shows what an entry of the history held when the viewer
 * goes back or forward to it, or loads the page again.
 *
 * @returns a function that leaves the address to others
 */
export function keepAddress<Memory>({ shown, open, remember }: AddressContent<Memory>): () => void {
  const left = new Map<string, { readonly hash: string; readonly memory: Memory }>();
  let entry = entryOfHistory() ?? beginEntry();
  let opened = Promise.resolve(open(route.value, takeKept<Memory>(entry)));
  let writtenAtMs = -Infinity;
  const ending = new AbortController();
  const { signal } = ending;

  const currentHash = (): string => {
    const { page } = route.value;
    return addressOf(page, shown(page));
  };
  const write = async (of: string): Promise<void> => {
    // The link is incomplete until then, and must survive a reload.
    await opened;
    if (of !== entry || signal.aborted) return;
    writtenAtMs = performance.now();
    history.replaceState({ entry } satisfies EntryState, '', currentHash());
  };
  const stopWriting = effect(() => {
    currentHash();
    const waitMs = Math.max(0, writtenAtMs + BETWEEN_WRITES_MS - performance.now());
    const timer = setTimeout(() => void write(entry), waitMs);
    return () => clearTimeout(timer);
  });
  /** Browsers announce a new address with one of two events or with both. */
  const follow = (): void => {
    // A link to a heading of a page around this one.
    if (!isAddress(location.hash)) return;
    const next = entryOfHistory();
    if (next === entry) return;
    left.set(entry, { hash: currentHash(), memory: remember() });
    entry = next ?? beginEntry();
    const known = left.get(entry);
    batch(() => {
      route.value = routeOf(known?.hash ?? location.hash);
      opened = Promise.resolve(open(route.value, known?.memory));
    });
  };
  addEventListener('popstate', follow, { signal });
  addEventListener('hashchange', follow, { signal });
  addEventListener('pagehide', () => keep(entry, remember()), { signal });
  return () => {
    stopWriting();
    ending.abort();
  };
}

const KEPT = 'snowflake-console:kept';

/** Keeps what the address leaves out in the tab, for when the page is loaded again. */
function keep(entry: string, memory: unknown): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ entry, memory }));
  } catch {
    // A browser may forbid storage, or have no room for so much. The page then begins empty.
  }
}

/** Returns what was kept for an entry, once. */
function takeKept<Memory>(wanted: string): Memory | undefined {
  try {
    const { entry, memory } = JSON.parse(sessionStorage.getItem(KEPT) ?? '{}') as {
      readonly entry?: string;
      readonly memory?: Memory;
    };
    sessionStorage.removeItem(KEPT);
    return entry === wanted ? memory : undefined;
  } catch {
    return undefined;
  }
}

function entryOfHistory(): string | undefined {
  return (history.state as EntryState | null)?.entry;
}

let entries = 0;
/** Gives the current entry a name that is unique in this tab, even across reloads. */
function beginEntry(): string {
  entries += 1;
  const entry = `${Date.now().toString(36)}-${entries}`;
  history.replaceState({ entry } satisfies EntryState, '');
  return entry;
}
