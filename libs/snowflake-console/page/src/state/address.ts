import { batch, effect } from '@preact/signals';
import { addressOf, type PageName, type Parameters, route, type Route, routeOf } from './route.js';

/** What a page shows, as an address can hold it. */
export interface Shown {
  readonly parameters: Parameters;
  /** True if the address can't hold all of it. */
  readonly isPartial?: boolean;
}

/** What the address stands for. All of it reads signals. */
export interface AddressContent<Memory> {
  /** Returns what a page shows, or undefined while it is not known yet. */
  readonly shown: (page: PageName) => Shown | undefined;
  /** Shows what an address says, or what the page remembers of an entry of the history. */
  readonly open: (route: Route, memory?: Memory) => Promise<void> | void;
  /** Returns what an address may be too short for. */
  readonly remember: () => Memory;
}

/** What the browser keeps of an entry of its history, also when the page is loaded again. */
interface EntryState {
  readonly entry?: string;
  readonly isPartial?: boolean;
}

/** Browsers refuse to write the address for every key: Safari after 100 times in 30 s. */
const BETWEEN_WRITES_MS = 310;

/** Whether the address of the entry that was opened left something out. */
export function isPartialEntry(): boolean {
  return stateOfEntry().isPartial === true;
}

/**
 * Keeps the address current while what is shown changes, and shows what an entry of the history held when the viewer
 * goes back or forward to it.
 */
export function keepAddress<Memory>({ shown, open, remember }: AddressContent<Memory>): void {
  const left = new Map<string, { readonly hash: string; readonly memory: Memory }>();
  let entry = stateOfEntry().entry ?? beginEntry();
  let opened = Promise.resolve(open(route.value));
  let written = location.hash;
  let writtenAtMs = -Infinity;

  /** The address as it should be, or as it was while that isn't known. */
  const currentHash = (): string => {
    const { page } = route.peek();
    const now = shown(page);
    return now ? addressOf(page, now.parameters) : written;
  };
  const write = async (hash: string, isPartial: boolean, of: string): Promise<void> => {
    await opened;
    if (of !== entry) return;
    written = hash;
    writtenAtMs = performance.now();
    history.replaceState({ entry, isPartial } satisfies EntryState, '', hash);
  };
  effect(() => {
    const { page } = route.value;
    const now = shown(page);
    if (!now) return;
    const hash = addressOf(page, now.parameters);
    const waitMs = Math.max(0, writtenAtMs + BETWEEN_WRITES_MS - performance.now());
    const timer = setTimeout(() => void write(hash, now.isPartial ?? false, entry), waitMs);
    return () => clearTimeout(timer);
  });
  /** Browsers announce a new address with one of two events or with both. */
  const follow = (): void => {
    const next = stateOfEntry().entry;
    if (next === entry) return;
    left.set(entry, { hash: currentHash(), memory: remember() });
    entry = next ?? beginEntry();
    const known = left.get(entry);
    written = known?.hash ?? location.hash;
    batch(() => {
      route.value = routeOf(written);
      opened = Promise.resolve(open(route.value, known?.memory));
    });
  };
  addEventListener('popstate', follow);
  addEventListener('hashchange', follow);
}

function stateOfEntry(): EntryState {
  return (history.state as EntryState | null) ?? {};
}

let entries = 0;
/** Names the entry that is shown unlike any other of this tab, also of those from before it was loaded again. */
function beginEntry(): string {
  entries += 1;
  const entry = `${Date.now().toString(36)}-${entries}`;
  history.replaceState({ entry } satisfies EntryState, '');
  return entry;
}
