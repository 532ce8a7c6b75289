import { signal } from '@preact/signals';
import type { AppFacts } from '../../../src/api/console-api.js';
import { t } from '../messages/messages.js';

const ANSWER_WITHIN_MS = 10_000;

/** The facts of the app behind the page. Undefined until it has answered; `null` if there is no app, as for static files. */
export const appFacts = signal<AppFacts | null | undefined>(undefined);

/** Names the layout of an ID maker of the app. */
export function appLayoutName(name: string): string {
  return t(appFacts.value?.kind === 'namespace' ? 'layout.ofNamespace' : 'layout.ofApp', { name });
}

/** Requests the facts of the app once. */
export async function findApp(): Promise<void> {
  appFacts.value = await askedApp().catch(() => null);
}

async function askedApp(): Promise<AppFacts | null> {
  const answer = await jsonFrom<AppFacts>('api/app');
  return Array.isArray(answer?.makers) ? answer : null;
}

/** Returns the JSON at an address of the app, or undefined for any other answer. @throws if nothing answers in time */
export async function jsonFrom<Answer>(address: string): Promise<Answer | undefined> {
  const response = await fetch(address, {
    cache: 'no-store',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const isJson = response.headers.get('content-type')?.includes('application/json') ?? false;
  return response.ok && isJson ? ((await response.json()) as Answer) : undefined;
}
