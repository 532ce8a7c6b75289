import type { EventSink } from '../watch/event-sink.js';

/** A request to the console, independent of the server that received it. */
export interface ConsoleRequest {
  readonly method: string;
  /** The rest of the path below that of the console, decoded, without a leading slash. Empty for the page itself. */
  readonly path: string;
  /** The address as it was sent, with its query. */
  readonly url: string;
  /** Returns a header by its name in lower case. */
  header(name: string): string | undefined;
  /** Returns the parsed JSON body. @throws BodyRefusal if it is too large or unreadable */
  body(maxBytes: number): Promise<unknown>;
}

/** The answer to a {@link ConsoleRequest}. */
export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Streams further text to `sink` until the returned function is called. */
  readonly listen?: (sink: EventSink) => () => void;
}

/** The body of a request is too large, or not JSON. */
export class BodyRefusal extends Error {
  constructor(readonly status: 400 | 413) {
    super(status === 413 ? 'The body is too large.' : 'The body is not valid JSON.');
  }
}
