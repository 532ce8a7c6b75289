import { ReplyReader } from 'nestjs-snowflake/internal/stores/remote/reply-reader';
import { checkRemoteOptions } from 'nestjs-snowflake/internal/stores/remote/remote-options';
import { ServiceCalls } from 'nestjs-snowflake/internal/stores/remote/service-calls';
import type { RemoteServiceOptions } from 'nestjs-snowflake/remote';
import type { CallDeadline } from 'nestjs-snowflake/store';
import type {
  ClaimReply,
  ResumeReply,
  ReturnOutcome,
  ReturnReply,
  SegmentClaim,
  SegmentReturn,
  SegmentStore,
  StoreSnapshot,
  TagReply,
  TagRequest,
} from '../store/segment-store.js';
import { toClaimReply, toResumeReply, toReturnReplies, toSnapshot, toTagReply } from './segment-replies.js';

/** Options of {@link remoteSegmentStore}: a namespace, and `url` or `urls`. */
export interface RemoteSegmentStoreOptions extends RemoteServiceOptions {
  /**
   * The key of the store in the option `segments` of the service.
   * Bounds: 1 to 128 characters of `A-Z a-z 0-9 _ . : -`, and neither `.` nor `..`.
   */
  readonly namespace: string;
}

/** Forwards each call to a service, and returns its reply. The service stores nothing: its own store decides. */
class RemoteSegmentStore implements SegmentStore {
  readonly description: string;
  /** The service serves no store with another one. */
  readonly stride = 1;

  private readonly calls: ServiceCalls;
  private readonly path: string;

  constructor(options: RemoteSegmentStoreOptions) {
    const { namespace, addresses, token } = checkRemoteOptions(options);
    this.description = `remote namespace "${namespace}"`;
    this.path = `claims/${encodeURIComponent(namespace)}`;
    this.calls = new ServiceCalls(this.description, addresses, token);
  }

  open(settings: { readonly callTimeoutMs: number }): void {
    this.calls.open(settings);
  }

  async claim(claim: SegmentClaim, deadline?: CallDeadline): Promise<ClaimReply> {
    return toClaimReply(await this.call('', claim, deadline));
  }

  async returnRemainder(rest: SegmentReturn, deadline?: CallDeadline): Promise<ReturnReply> {
    const [reply] = await this.returned([rest], deadline);
    return reply ?? { outcome: 'unknown' };
  }

  async returnRemainders(
    rests: readonly SegmentReturn[],
    deadline?: CallDeadline,
  ): Promise<readonly ReturnOutcome[]> {
    const replies = await this.returned(rests, deadline);
    return replies.map((value) => ({ status: 'fulfilled', value }));
  }

  async create(tag: TagRequest, deadline?: CallDeadline): Promise<TagReply> {
    return toTagReply(await this.call('/tags', tag, deadline));
  }

  async inspect(): Promise<StoreSnapshot> {
    return toSnapshot(await this.call('', undefined));
  }

  async resume(highest: Readonly<Record<string, number>>): Promise<ResumeReply> {
    return toResumeReply(await this.call('/resume', { highest }));
  }

  async close(): Promise<void> {
    this.calls.close();
  }

  private async returned(
    rests: readonly SegmentReturn[],
    deadline?: CallDeadline,
  ): Promise<readonly ReturnReply[]> {
    if (rests.length === 0) return [];
    return toReturnReplies(await this.call('/return', { rests }, deadline), rests.length);
  }

  private async call(path: string, body: object | undefined, deadline?: CallDeadline): Promise<ReplyReader> {
    return new ReplyReader(await this.calls.call(this.path + path, body, deadline), this.description);
  }
}

/**
 * Claims segments from a `nestjs-snowflake-service`, which passes each call on to its own store. Use it in processes that can't reach
 * the database: it needs only `fetch`. If a process can reach the database, use `sqlSegmentStore()`, so that one part less can fail.
 *
 * @throws InvalidOptionError if an option is missing, malformed or contradicts another
 * @example
 * ```ts
 * SegmentModule.forRootAsync({
 *   tags: ['ticket'],
 *   inject: [ConfigService],
 *   useFactory: (config: ConfigService) => ({
 *     store: remoteSegmentStore({
 *       url: config.getOrThrow('ID_SERVICE_URL'),
 *       token: config.getOrThrow('ID_SERVICE_TOKEN'),
 *       namespace: 'shop',
 *     }),
 *   }),
 * })
 * ```
 */
export function remoteSegmentStore(options: RemoteSegmentStoreOptions): SegmentStore {
  return new RemoteSegmentStore(options);
}
