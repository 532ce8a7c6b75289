import type { Clock } from 'nestjs-snowflake/core';
import { SnowflakeError } from 'nestjs-snowflake/standalone';
import type { IdsAnswer } from '../api/console-api.js';
import type { Report } from '../watch/report.js';
import { Watch } from '../watch/watch.js';
import { jsonAnswer, refusal, SAFE_HEADERS } from './answers.js';
import { isFromAnotherSite } from './cross-site.js';
import { readIdsRequest } from './ids-request.js';
import { BodyRefusal, type ConsoleAnswer, type ConsoleRequest } from './messages.js';
import { answerOf, type PageFiles, readPageFiles } from './page-files.js';
import { type Generation, type Subject, UnknownMakerError } from './subject.js';
import { RateLimit } from './rate-limit.js';

/** The dependencies and settings of a {@link Console}. */
export interface ConsoleParts {
  readonly subject: Subject;
  /** Absent if the console generates no IDs. */
  readonly generation?: Generation | undefined;
  /** The maximum number of listeners at a time. */
  readonly maxListeners: number;
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
  readonly report: Report;
  /** @defaultValue the files of the package */
  readonly files?: PageFiles;
}

type Handler = (request: ConsoleRequest) => ConsoleAnswer | Promise<ConsoleAnswer>;
type Route = Readonly<Record<string, Handler>>;

const MAX_ADDRESS_LENGTH = 2048;
const MAX_BODY_BYTES = 1024;
const PAGE = 'index.html';
const RETRY_MS = 3000;

/** Answers every request to the console. The caller has already authorized the request. */
export class Console {
  private readonly files: PageFiles;
  private readonly watch: Watch;
  private readonly routes: ReadonlyMap<string, Route>;

  constructor(private readonly parts: ConsoleParts) {
    const { subject, generation, clock, maxListeners, report, files = readPageFiles() } = parts;
    this.files = files;
    const read = (): ReturnType<Subject['watch']> =>
      subject.watch(report).catch((error: unknown) => {
        report('The values of the live page could not be read', error);
        throw error;
      });
    this.watch = new Watch(read, clock, maxListeners);
    this.routes = new Map<string, Route>([
      ['api/app', { GET: () => this.facts() }],
      ['api/ids', { POST: generation ? makingIds(generation, clock) : refuseToMakeIds }],
      ['api/events', { GET: () => this.events() }],
      ['api/series', { GET: () => this.series() }],
    ]);
  }

  /** Answers a request. Never rejects. */
  async answer(request: ConsoleRequest): Promise<ConsoleAnswer> {
    try {
      return await this.handle(request);
    } catch (error) {
      this.parts.report('A request to the console failed', error);
      return refusal(500, 'CONSOLE_FAILED', 'The console failed to answer this request.');
    }
  }

  /** Ends every answer that still sends events, and refuses new listeners. */
  close(): void {
    this.watch.close();
  }

  private handle(request: ConsoleRequest): ConsoleAnswer | Promise<ConsoleAnswer> {
    const { url, path } = request;
    if (url.length > MAX_ADDRESS_LENGTH) {
      return refusal(
        414,
        'CONSOLE_ADDRESS_TOO_LONG',
        `The address is longer than ${MAX_ADDRESS_LENGTH} characters.`,
      );
    }
    const route = this.routeOf(path);
    if (route === undefined) return refusal(404, 'CONSOLE_NOT_FOUND', 'There is nothing at this address.');
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const handler = Object.hasOwn(route, method) ? route[method] : undefined;
    if (handler === undefined) {
      const allow = Object.keys(route).join(', ');
      return refusal(405, 'CONSOLE_METHOD_NOT_ALLOWED', `Use ${allow}.`, { allow });
    }
    if (path.startsWith('api/') && isFromAnotherSite(request)) {
      return refusal(403, 'CONSOLE_CROSS_SITE', 'Only the page of the console may send this request.');
    }
    return handler(request);
  }

  private routeOf(path: string): Route | undefined {
    if (path === '') return { GET: (request) => this.page(request) };
    const file = this.files.get(path);
    return file ? { GET: (request) => answerOf(file, request) } : this.routes.get(path);
  }

  /** Redirects to the address with a slash at its end, because the addresses in the page are relative. */
  private page(request: ConsoleRequest): ConsoleAnswer {
    const [path = ''] = request.url.split('?');
    const file = this.files.get(PAGE);
    if (path.endsWith('/') && file) return answerOf(file, request);
    const location = `./${path.slice(path.lastIndexOf('/') + 1)}/`;
    return { status: 302, headers: { ...SAFE_HEADERS, location }, body: '' };
  }

  private async facts(): Promise<ConsoleAnswer> {
    const facts = await this.parts.subject.facts?.();
    if (facts) return jsonAnswer(facts);
    return refusal(404, 'CONSOLE_WITHOUT_APP', 'This console has no app.');
  }

  private async series(): Promise<ConsoleAnswer> {
    const facts = await this.parts.subject.series?.();
    if (facts) return jsonAnswer(facts);
    return refusal(404, 'CONSOLE_WITHOUT_SERIES', 'The app has no series.');
  }

  private events(): ConsoleAnswer {
    const { refusal: reason } = this.watch;
    if (reason !== undefined) {
      const { maxListeners } = this.parts;
      const full = `${maxListeners} pages are connected already, which is the maximum (maxListeners). Close one of them.`;
      const message = reason === 'full' ? full : 'The app is stopping.';
      const code = reason === 'full' ? 'CONSOLE_TOO_MANY_LISTENERS' : 'CONSOLE_STOPPING';
      return refusal(503, code, message, { 'retry-after': '10' });
    }
    return {
      status: 200,
      headers: {
        ...SAFE_HEADERS,
        'content-type': 'text/event-stream; charset=utf-8',
        // A proxy that compresses or buffers the answer would delay the events.
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      },
      body: `retry: ${RETRY_MS}\n\n`,
      listen: (sink) => this.watch.listen(sink),
    };
  }
}

const refuseToMakeIds: Handler = () => refusal(403, 'CONSOLE_GENERATE_OFF', 'This console generates no IDs.');

/** Returns what answers a request for IDs. All requests share its rate limit. */
function makingIds({ perMinute, maxCount, makeIds }: Generation, clock: Pick<Clock, 'now'>): Handler {
  const limit = new RateLimit(perMinute, clock);
  return async (request) => {
    if (request.header('x-snowflake-console') !== '1') {
      return refusal(403, 'CONSOLE_HEADER_MISSING', 'Send the header x-snowflake-console: 1.');
    }
    if (!/^application\/json\s*(;|$)/i.test(request.header('content-type') ?? '')) {
      return refusal(415, 'CONSOLE_MEDIA_TYPE', 'Send JSON, with the content type application/json.');
    }
    const waitMs = limit.take();
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      const message = `The console allows ${perMinute} requests per minute. Try again in ${seconds} s.`;
      return refusal(429, 'CONSOLE_TOO_MANY_REQUESTS', message, { 'retry-after': String(seconds) });
    }
    try {
      const parsed = readIdsRequest(await request.body(MAX_BODY_BYTES), maxCount);
      if (typeof parsed === 'string') return refusal(400, 'CONSOLE_INVALID_REQUEST', parsed);
      const answer: IdsAnswer = { ids: makeIds(parsed.maker, parsed.count) };
      return jsonAnswer(answer);
    } catch (error) {
      return refusalOf(error);
    }
  };
}

function refusalOf(error: unknown): ConsoleAnswer {
  if (error instanceof BodyRefusal) {
    const code = error.status === 413 ? 'CONSOLE_BODY_TOO_LARGE' : 'CONSOLE_INVALID_REQUEST';
    return refusal(error.status, code, error.message);
  }
  if (error instanceof UnknownMakerError) {
    return refusal(404, 'CONSOLE_UNKNOWN_MAKER', 'No ID maker of the app has this name.');
  }
  // The messages of the library contain no secrets.
  if (error instanceof SnowflakeError) return refusal(503, error.code, error.message);
  throw error;
}
