import type {
  LeaseReply,
  LeaseRequest,
  ReleaseReply,
  ReleaseRequest,
} from '../../../../libs/snowflake/src/lease/lease-store.js';
import { StoreCaller } from '../../../../libs/snowflake/src/lease/store-caller.js';
import { RemoteLeaseStore } from '../../../../libs/snowflake/src/stores/remote/remote-lease-store.js';
import type { CallEnvironment } from '../../../../libs/snowflake/src/stores/remote/service-calls.js';
import type { Caller } from '../network.js';
import type { Protocol, SimulatedEnvironment } from '../protocol.js';
import { SERVICES, type ServiceReply } from '../services.js';
import { ours } from './ours.js';
import type { RegistryDatabase } from './registry-database.js';
import { NOTHING_REMOVED, type Removal } from './removals.js';
import { SimulatedLeaseStore } from './simulated-lease-store.js';

type Environment = SimulatedEnvironment<RegistryDatabase>;

/** What is removed from the client of the services. */
export interface ClientRemoval {
  /** It takes a response for that to its call, whatever call the response names. */
  readonly takesAnyResponse?: boolean;
}

const URLS = Array.from({ length: SERVICES }, (_, index) => `http://service-${index}`);

/** The library's protocol with its remote store, which calls two services on one store. */
export function oursThroughServices(
  name: string,
  client: ClientRemoval = {},
  removal: Removal = NOTHING_REMOVED,
): Protocol<RegistryDatabase> {
  const storeOf = (environment: Environment): RemoteLeaseStore =>
    new RemoteLeaseStore({ namespace: 'shop', urls: URLS }, networkOf(environment, client, removal));
  return { ...ours(removal, {}, storeOf), name };
}

function networkOf(environment: Environment, client: ClientRemoval, removal: Removal): CallEnvironment {
  const { loop, random } = environment;
  return {
    clock: loop.clock,
    newCallName: () => random.hex(),
    async fetch(url, { headers, body, signal }) {
      const sent = new Headers(headers);
      const call = String(sent.get('snowflake-call'));
      const service = URLS.findIndex((address) => url.startsWith(address));
      const reply = await Promise.race([
        environment.request(service, async (from) => {
          const timeoutMs = Number(sent.get('snowflake-timeout-ms'));
          return { call, ...(await serve(environment, removal, from, timeoutMs, url, String(body))) };
        }),
        aborted(signal),
      ]);
      return {
        ok: reply.status === 200,
        status: reply.status,
        headers: { get: () => (client.takesAnyResponse ? call : reply.call) },
        text: async () => reply.body,
      };
    },
  };
}

/** What a service does: it passes the call on to its own store, within the bound of the client. */
async function serve(
  { callFrom, minReplicas }: Environment,
  removal: Removal,
  from: Caller,
  timeoutMs: number,
  url: string,
  body: string,
): Promise<Omit<ServiceReply, 'call'>> {
  const store = new SimulatedLeaseStore({ minReplicas, call: (command) => callFrom(from, command) }, removal);
  const execute = (): Promise<LeaseReply | ReleaseReply> =>
    url.endsWith('/release')
      ? store.release(JSON.parse(body) as ReleaseRequest)
      : store.lease(JSON.parse(body) as LeaseRequest);
  try {
    const reply = await new StoreCaller(store, from.loop.clock).call(execute, timeoutMs);
    return { status: 200, body: JSON.stringify(reply) };
  } catch (error) {
    return { status: 503, body: JSON.stringify({ detail: String(error) }) };
  }
}

function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
}
