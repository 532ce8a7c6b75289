import type { Refusal } from '../../../src/api/console-api.js';

/** `refused`: for another reason, such as a proxy whose app restarts. */
export type RefusalReason = 'full' | 'stopping' | 'signedOut' | 'refused';

const ANSWER_WITHIN_MS = 10_000;
const REASONS: Readonly<Record<string, RefusalReason>> = {
  CONSOLE_TOO_MANY_LISTENERS: 'full',
  CONSOLE_STOPPING: 'stopping',
};
/** The statuses with which the console and the guards of apps refuse unauthorized users. */
const SIGNED_OUT = [401, 403, 404];

/** Requests the events once to get the reason of a refusal, which an EventSource doesn't show. */
export async function refusalReason(address: string): Promise<RefusalReason> {
  try {
    const response = await fetch(address, {
      cache: 'no-store',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    // The app may send events again, in an answer without an end. Any other page is a login page.
    if (response.ok) {
      await response.body?.cancel();
      return response.headers.get('content-type')?.includes('event-stream') ? 'refused' : 'signedOut';
    }
    if (SIGNED_OUT.includes(response.status)) return 'signedOut';
    const { code } = (await response.json()) as Partial<Refusal>;
    return REASONS[code ?? ''] ?? 'refused';
  } catch {
    return 'refused';
  }
}
