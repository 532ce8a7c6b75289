import { BitLayout, type Clock } from 'nestjs-snowflake/core';
import type { RegistrySnapshot } from 'nestjs-snowflake/store';
import type { AppFacts, MakerFacts, MakerWatch } from '../api/console-api.js';
import type { Subject } from '../http/subject.js';
import { codeOf } from '../watch/maker-watch.js';
import { registryWatch } from '../watch/registry-watch.js';

/** A namespace that is shown without its app. */
export interface Namespace {
  /** E.g. `shop`. */
  readonly name: string;
  /** The namespace and its store as the page names them, e.g. `redis namespace "shop"`. */
  readonly description: string;
  /** Reads the registry. Must settle within a bounded time. */
  inspect(): Promise<RegistrySnapshot>;
}

const UNKNOWN_RANGE = { first: 0, total: 0 };

/** Shows the registry of a namespace. The console itself issues no IDs in it. */
export function namespaceSubject(namespace: Namespace, clock: Pick<Clock, 'now'>): Subject {
  const { name, description } = namespace;
  return {
    facts: async (): Promise<AppFacts> => {
      const stored = await namespace.inspect().catch(() => undefined);
      const layout = layoutFrom(stored?.layout);
      const makers = layout ? [{ name, layout, store: description }] : [];
      return { kind: 'namespace', makers, segments: false, series: false };
    },
    watch: async () => ({ makers: [await namespaceWatch(namespace, clock)] }),
  };
}

async function namespaceWatch(namespace: Namespace, clock: Pick<Clock, 'now'>): Promise<MakerWatch> {
  const registry = await namespace
    .inspect()
    .then((snapshot) => ({ registry: registryWatch(snapshot, UNKNOWN_RANGE) }))
    .catch((error: unknown) => ({ registryErrorCode: codeOf(error) }));
  return { name: namespace.name, hostNowMs: clock.now(), ...registry };
}

/** Returns undefined if nothing is stored, or if another version wrote the fingerprint. */
function layoutFrom(fingerprint = ''): MakerFacts['layout'] | undefined {
  try {
    const layout = BitLayout.fromFingerprint(fingerprint);
    return { ...layout.toOptions(), epochMs: layout.epochMs };
  } catch {
    return undefined;
  }
}
