import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  AppFacts,
  IdsRequest,
  MakerWatch,
  RegistryWatch,
  SeriesFacts,
  WatchEvent,
  WorkerWatch,
} from '../../src/api/console-api.js';
import { FileServer } from './file-server.js';

/** What the scripted app answers to `POST api/ids`. */
export interface ScriptedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** An app that answers what a test has written, behind the real built page. */
export class ScriptedApp {
  facts: AppFacts = {
    kind: 'app',
    makers: [
      { name: 'default', layout: { epochMs: Date.UTC(2024, 0, 1) }, store: 'redis namespace "shop"' },
      {
        name: 'audit',
        layout: { timestampBits: 42, workerBits: 8, sequenceBits: 13, epochMs: Date.UTC(2020, 0, 1) },
        store: 'postgres namespace "audit"',
      },
    ],
    generate: { maxCount: 1000 },
    segments: true,
    series: true,
  };
  series: SeriesFacts = {
    series: [{ name: 'invoice', format: 'INV-{year}-{number:5}', resets: 'year', zone: 'Europe/Berlin' }],
  };
  event: WatchEvent = { makers: [] };
  /** Streams that were ever opened. */
  openedStreams = 0;
  /** What new streams get instead, such as by a proxy while the app restarts. */
  refusal: { readonly status: number; readonly code: string } | undefined;
  answer: (request: IdsRequest) => ScriptedAnswer = ({ count }) => ({
    status: 200,
    body: { ids: Array.from({ length: count }, (_, index) => String(382475217496248322n + BigInt(index))) },
  });
  readonly requests: { readonly headers: IncomingMessage['headers']; readonly body: IdsRequest }[] = [];
  private readonly streams = new Set<ServerResponse>();
  private server: FileServer | undefined;

  static async start(folder: string, path: string): Promise<ScriptedApp> {
    const app = new ScriptedApp();
    app.server = await FileServer.of(folder, path, app.handle);
    return app;
  }

  get url(): string {
    return this.server?.url ?? '';
  }

  get openStreams(): number {
    return this.streams.size;
  }

  /** Sends an event to all that watch, and to all that come later. */
  send(event: WatchEvent): void {
    this.event = event;
    for (const stream of this.streams) writeEvent(stream, event);
  }

  /** Ends the streams as the console does after ten minutes, so that their listeners come again. */
  renewStreams(): void {
    for (const stream of this.streams) stream.end('event: renew\ndata: {}\n\n');
  }

  dropStreams(): void {
    for (const stream of this.streams) stream.destroy();
  }

  async stop(): Promise<void> {
    await this.server?.stop();
  }

  private readonly handle = (address: string, request: IncomingMessage, response: ServerResponse): void => {
    if (address === 'api/app') json(response, 200, this.facts);
    else if (address === 'api/series') json(response, 200, this.series);
    else if (address === 'api/events') this.openStream(response);
    else if (address === 'api/ids' && request.method === 'POST') this.answerIds(request, response);
    else json(response, 404, { code: 'NOT_FOUND', message: 'Not found.' });
  };

  private openStream(response: ServerResponse): void {
    if (this.refusal) {
      const { status, code } = this.refusal;
      json(response, status, { code, message: 'No.' });
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write('retry: 100\n\n');
    this.streams.add(response);
    this.openedStreams += 1;
    response.on('close', () => this.streams.delete(response));
    if (this.event.makers.length > 0) writeEvent(response, this.event);
  }

  private answerIds(request: IncomingMessage, response: ServerResponse): void {
    // A page that closes takes its last request back, perhaps before all of it has arrived.
    this.makeIds(request, response).catch(() => response.destroy());
  }

  private async makeIds(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const body = JSON.parse(text) as IdsRequest;
    this.requests.push({ headers: request.headers, body });
    const { status, headers, body: answer } = this.answer(body);
    json(response, status, answer, headers);
  }
}

function json(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function writeEvent(stream: ServerResponse, event: WatchEvent): void {
  stream.write(`event: watch\ndata: ${JSON.stringify(event)}\n\n`);
}

/** A namespace of 1,024 worker IDs at a time: most are held, some are offline or released, the rest are unused. */
export function scriptedRegistry(storeNowMs: number, used = 700): RegistryWatch {
  return {
    storeNowMs,
    historyId: 'f0c4a1d2e3b5968778695a4b3c2d1e0f01234567:9d2c',
    layout: 'v2 epoch=2024-01-01T00:00:00.000Z tick=1ms timestamp:41 worker:10 sequence:12 workers=0+1024',
    first: 0,
    total: 1024,
    workers: Array.from({ length: used }, (_, workerId) => scriptedWorker(workerId, storeNowMs)),
  };
}

const DEPLOYMENTS = ['payments-7d9c6b5f4', 'notifications-58b7c9d9c8', 'orders-6d4cf56db6'];

/** Named as the pods of three Deployments, each with one process. */
function podName(workerId: number): string {
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  const suffix = Array.from(
    { length: 5 },
    (_, at) => letters[(workerId * 7919 + at * 104_729 * (workerId + 1)) % letters.length],
  );
  return `${DEPLOYMENTS[workerId % DEPLOYMENTS.length]}-${suffix.join('')}/1`;
}

function nonce(workerId: number): string {
  return ((BigInt(workerId + 1) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn).toString(16).padStart(16, '0');
}

function scriptedWorker(workerId: number, storeNowMs: number): WorkerWatch {
  const chance = (workerId * 7919) % 97;
  const holder = podName(workerId);
  if (chance < 12)
    return { workerId, state: 'released', reservedUntilMs: storeNowMs - chance * 60_000 - 9_000 };
  const windowFromMs = storeNowMs - 60_000 * (1 + (workerId % 30));
  const fencingToken = `${nonce(workerId)}:${holder}@${windowFromMs}`;
  const row = { workerId, holder, windowFromMs, fencingToken };
  return chance < 18
    ? { ...row, state: 'offline', reservedUntilMs: storeNowMs - chance * 45_000 }
    : { ...row, state: 'held', reservedUntilMs: storeNowMs + 50_000 + chance * 100 };
}

/** The watch of a maker that is well. */
export function scriptedMaker(name: string, hostNowMs: number, registry?: RegistryWatch): MakerWatch {
  return {
    name,
    hostNowMs,
    status: {
      state: 'active',
      workerId: 41,
      leaseUntilMs: hostNowMs + 56_400,
      expiresAtMs: Date.UTC(2093, 8, 6),
      issued: 1_204_511,
      driftMs: 3,
      clockCorrectionMs: 0,
      failedCalls: { SNOWFLAKE_STORE_UNAVAILABLE: 2 },
    },
    ...(registry ? { registry } : { registryErrorCode: 'SNOWFLAKE_STORE_UNAVAILABLE' }),
  };
}
