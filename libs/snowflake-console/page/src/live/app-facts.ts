import { signal } from '@preact/signals';
import type { AppFacts, Refusal } from '../../../src/api/console-api.js';
import { t } from '../messages/messages.js';

const ANSWER_WITHIN_MS = 10_000;

/** The facts of the app behind the page. Undefined until it has answered; `null` if there is no app, as for static files. */
export const appFacts = signal<AppFacts | null | undefined>(undefined);

/** Names the layout of an ID maker of the app. */
export function appLayoutName(name: string): string {
  return t(appFacts.value?.kind === 'namespace' ? 'layout.ofNamespace' : 'layout.ofApp', { name });
}

/** Why the app behind the page doesn't answer: it refuses this viewer, or it fails and the page keeps trying. */
export const appProblem = signal<'signedOut' | 'failed' | undefined>(undefined);

const RETRY_MS = 5000;

/** Requests the facts of the app, again and again while it fails. */
export async function findApp(): Promise<void> {
  for (;;) {
    const answer = await askedApp().catch((): 'failed' => 'failed');
    appProblem.value = answer === 'failed' || answer === 'signedOut' ? answer : undefined;
    if (answer !== 'failed') {
      appFacts.value = answer === 'signedOut' ? undefined : answer;
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** A static page gets a 404 that isn't of a console, or a page. */
async function askedApp(): Promise<AppFacts | null | 'signedOut' | 'failed'> {
  const response = await requested('api/app');
  const { status } = response;
  if (status === 401 || status === 403) return 'signedOut';
  if (status >= 500) return 'failed';
  const answer = isJson(response) ? ((await response.json()) as Partial<AppFacts> & Partial<Refusal>) : {};
  if (response.ok) return Array.isArray(answer.makers) ? (answer as AppFacts) : null;
  return isJson(response) && answer.code !== 'CONSOLE_WITHOUT_APP' ? 'signedOut' : null;
}

/** Returns the JSON at an address of the app, or undefined for any other answer. @throws if nothing answers in time */
export async function jsonFrom<Answer>(address: string): Promise<Answer | undefined> {
  const response = await requested(address);
  return response.ok && isJson(response) ? ((await response.json()) as Answer) : undefined;
}

function requested(address: string): Promise<Response> {
  return fetch(address, {
    cache: 'no-store',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
}

function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.includes('application/json') ?? false;
}
