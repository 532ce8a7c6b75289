import type { IdsAnswer, IdsRequest, Refusal } from '../../../src/api/console-api.js';

/** The outcome of a request for IDs. */
export type IdsOutcome =
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly code: string;
      readonly message: string;
      /** Set with status 429, in seconds. */
      readonly retryAfter?: number;
    }
  | { readonly kind: 'unanswered' };

const ANSWER_WITHIN_MS = 15_000;

/** Requests IDs of one of the app's makers. Never rejects. */
export async function requestIds(request: IdsRequest): Promise<IdsOutcome> {
  try {
    const response = await fetch('api/ids', {
      method: 'POST',
      cache: 'no-store',
      headers: { 'content-type': 'application/json', 'x-snowflake-console': '1' },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    if (!response.ok) return await refusalOf(response);
    const { ids } = (await response.json()) as IdsAnswer;
    return { kind: 'ids', ids };
  } catch {
    return { kind: 'unanswered' };
  }
}

async function refusalOf(response: Response): Promise<IdsOutcome> {
  // A proxy between the page and the app may answer with something other than JSON.
  const refusal = (await response.json().catch(() => undefined)) as Partial<Refusal> | undefined;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return {
    kind: 'refused',
    status: response.status,
    code: refusal?.code ?? '',
    message: refusal?.message ?? '',
    ...(Number.isFinite(seconds) && { retryAfter: seconds }),
  };
}
