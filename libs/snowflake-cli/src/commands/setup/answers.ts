import { InvalidOptionError } from 'nestjs-snowflake/core';
import {
  checkedNamespace,
  type Decisions,
  type StoreName,
  STORES,
} from 'nestjs-snowflake/internal/setup/settings';
import type { Terminal } from '../../frame/terminal.js';

/**
 * Asks for what the flags leave open. An empty line means the default. Without a terminal, nothing is asked.
 *
 * @throws InvalidOptionError if an answer is not valid
 */
export async function answers(
  flags: { readonly store?: StoreName; readonly namespace?: string },
  defaults: Decisions,
  terminal: Terminal,
): Promise<Decisions> {
  const { store = defaults.store, namespace = defaults.namespace } = flags;
  if (!terminal.isInputInteractive || !terminal.isErrorInteractive) return { store, namespace };
  const lines = terminal.inputLines()[Symbol.asyncIterator]();
  const ask = async (question: string, fallback: string): Promise<string> => {
    terminal.printError(`${question} [${fallback}]: `);
    const { value } = (await lines.next()) as { value?: string };
    return value?.trim() || fallback;
  };
  const chosen =
    flags.store ?? storeNamed(await ask(`Where are worker IDs leased: ${STORES.join(', ')}?`, store));
  // One process shares its IDs with no other.
  if (flags.namespace !== undefined || chosen === 'memory') return { store: chosen, namespace };
  const named = await ask('Which namespace do the processes share whose IDs must differ?', namespace);
  return { store: chosen, namespace: checkedNamespace(named) };
}

function storeNamed(answer: string): StoreName {
  const store = STORES.find((each) => each === answer);
  if (store !== undefined) return store;
  throw new InvalidOptionError('--store', answer, 'is not a store', `Choose one of ${STORES.join(', ')}.`);
}
