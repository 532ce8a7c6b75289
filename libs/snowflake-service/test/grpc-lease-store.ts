import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import {
  type BackfillReply,
  type BackfillRequest,
  type CallDeadline,
  type LeaseReply,
  type LeaseRequest,
  type LeaseStore,
  type RegistrySnapshot,
  type ReleaseReply,
  type ReleaseRequest,
  StoreRejectedError,
  StoreUnavailableError,
} from 'nestjs-snowflake/store';
import type { GrpcClient, Message } from './grpc-client.js';

/** Status codes of calls that a later call can make good. */
const PASSING = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED', 'RESOURCE_EXHAUSTED']);
const DEFAULT_DEADLINE: CallDeadline = { timeoutMs: 20_000, remainingMs: () => 20_000 };
const REASONS: Readonly<Record<string, 'empty' | 'history'>> = {
  WAIT_REASON_EMPTY: 'empty',
  WAIT_REASON_HISTORY: 'history',
};

/** A lease store whose calls go over gRPC, as a client in another language would send them. */
export class GrpcLeaseStore implements LeaseStore {
  readonly description = 'gRPC namespace "shop"';
  readonly renewable = true;

  constructor(
    private readonly client: Pick<GrpcClient, 'call' | 'close'>,
    private readonly token: string,
  ) {}

  async lease(request: LeaseRequest, deadline: CallDeadline = DEFAULT_DEADLINE): Promise<LeaseReply> {
    const { storeNowMs, outcome, ...fields } = await this.call('Lease', request, deadline);
    const name = String(outcome);
    const body = numeric(fields[name] as Message);
    if (name === 'layout' || name === 'corrupt') return { outcome: name, ...body } as LeaseReply;
    return {
      outcome: name === 'granted' ? 'new' : name,
      ...body,
      ...(name === 'wait' && { reason: REASONS[String(body['reason'])] }),
      storeNowMs: Number(storeNowMs),
    } as LeaseReply;
  }

  async release(request: ReleaseRequest, deadline: CallDeadline = DEFAULT_DEADLINE): Promise<ReleaseReply> {
    const { released, reservedUntilMs } = await this.call('Release', request, deadline);
    if (released !== true) return { outcome: 'gone' };
    return {
      outcome: 'released',
      ...(reservedUntilMs !== undefined && { reservedUntilMs: Number(reservedUntilMs) }),
    };
  }

  async backfill(
    request: BackfillRequest,
    deadline: CallDeadline = DEFAULT_DEADLINE,
  ): Promise<BackfillReply> {
    const { outcome, ...fields } = await this.call('Backfill', request, deadline);
    const name = String(outcome);
    const body = numeric(fields[name] as Message);
    return { outcome: name === 'possibleLoss' ? 'possible-loss' : name, ...body } as BackfillReply;
  }

  async inspect(): Promise<RegistrySnapshot> {
    const { rows, unreadable, ...fields } = await this.call('Inspect', {}, DEFAULT_DEADLINE);
    const texts = Object.entries(fields).filter(([name]) => !name.startsWith('_'));
    return {
      ...numeric(Object.fromEntries(texts)),
      rows: (rows as Message[]).map(numeric),
      ...((unreadable as Message[]).length > 0 && { unreadable }),
    } as unknown as RegistrySnapshot;
  }

  async close(): Promise<void> {
    this.client.close();
  }

  /** @throws StoreUnavailableError, StoreRejectedError */
  private async call(method: string, request: object, deadline: CallDeadline): Promise<Message> {
    const name = randomUUID();
    const answer = await this.client.call(
      `snowflake.v1.LeaseService.${method}`,
      { ...request, namespace: 'shop', call: name },
      { token: this.token, options: { deadline: Date.now() + deadline.remainingMs() } },
    );
    const { status: ended, details, response } = answer;
    if (ended !== status[status.OK]) {
      const message = `${this.description} answered ${ended}: ${details}`;
      throw PASSING.has(ended) ? new StoreUnavailableError(message) : new StoreRejectedError(message);
    }
    const { call = name, ...fields } = response;
    if (call !== name)
      throw new StoreUnavailableError(`${this.description} got the response of another call.`);
    return fields;
  }
}

/** Makes numbers of those fields whose values have 64 bits, which the loader reads as texts. */
function numeric(message: Message): Message {
  return Object.fromEntries(
    Object.entries(message).map(([name, value]) => [
      name,
      /(Ms|Id|replicas|waiting)$/.test(name) && name !== 'historyId' ? Number(value) : value,
    ]),
  );
}
