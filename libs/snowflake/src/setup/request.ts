import { InvalidOptionError } from '../core/errors/input-errors.js';
import type { App } from './app.js';
import { defaultStore } from './lease-place.js';
import { checkedNamespace, type Decisions, type SetupRequest } from './settings.js';

/** Returns the answers for a user who gives none. */
export function defaultDecisions(app: App): Decisions {
  return { store: defaultStore(app), namespace: namespaceFor(app.project.name) };
}

/** Fills in the defaults. @throws InvalidOptionError if the namespace can't be one */
export function decided(app: App, { store, namespace }: SetupRequest): Decisions {
  const defaults = defaultDecisions(app);
  return {
    store: store ?? defaults.store,
    namespace: namespace === undefined || namespace === '' ? defaults.namespace : checkedNamespace(namespace),
  };
}

/** Returns the name of an app without its scope, and without characters that a namespace can't have. */
function namespaceFor(name: string): string {
  const unscoped = name.split('/').at(-1) ?? '';
  const namespace = unscoped.replaceAll(/[^A-Za-z0-9_.:-]+/g, '-').slice(0, 128);
  if (namespace !== '') return namespace;
  throw new InvalidOptionError(
    'namespace',
    name,
    'is missing, and the app has no name',
    "Name one, e.g. 'shop'.",
  );
}
