import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const CALL = 'snowflake-call';
const HEADERS = ['authorization', 'content-type', CALL, 'snowflake-timeout-ms'];

interface Answered {
  readonly status: number;
  readonly call: string;
  readonly body: string;
}

/** What it repeats: the response as it was, or by the name of the present call, which no proxy does. */
export type Repeating = 'as it was' | 'under the name of the call';

/** A load balancer in front of a service. It can repeat a response, lose responses, or forget what clients claim. */
export class FaultyProxy {
  /** The bodies of the responses that it lost. */
  readonly lost: string[] = [];
  private repeating: Repeating | undefined;
  private losesResponses = false;
  private forgetsClaims = false;
  private kept: Answered | undefined;

  private constructor(
    private readonly server: Server,
    readonly url: string,
    private readonly target: string,
  ) {
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static async start(target: string): Promise<FaultyProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new FaultyProxy(server, `http://127.0.0.1:${port}`, target);
  }

  /** Answers all requests with the last grant, or if there was none yet, with the next response. */
  repeat(how: Repeating): void {
    this.repeating = how;
  }

  /** The service executes each request, and its client gets no response. */
  loseResponses(): void {
    this.losesResponses = true;
  }

  /** Each renewal becomes a request for a new worker ID. */
  forgetClaims(): void {
    this.forgetsClaims = true;
  }

  /** Works again. */
  heal(): void {
    this.repeating = undefined;
    this.losesResponses = false;
    this.forgetsClaims = false;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const named = String(request.headers[CALL]);
    try {
      const { status, call, body } = (this.repeating && this.kept) ?? (await this.forward(request));
      if (this.losesResponses) {
        this.lost.push(body);
        return void response.destroy();
      }
      const name = this.repeating === 'under the name of the call' ? named : call;
      response.writeHead(status, { [CALL]: name, 'content-type': 'application/json' }).end(body);
    } catch {
      response.writeHead(502).end();
    }
  }

  private async forward(request: IncomingMessage): Promise<Answered> {
    const given = await text(request);
    const headers = HEADERS.flatMap((name) => {
      const value = request.headers[name];
      return value === undefined ? [] : [[name, String(value)] as [string, string]];
    });
    const body = this.forgetsClaims ? JSON.stringify({ ...JSON.parse(given), claim: undefined }) : given;
    const response = await fetch(this.target + request.url, { method: 'POST', headers, body });
    const answered = {
      status: response.status,
      call: String(response.headers.get(CALL)),
      body: await response.text(),
    };
    if (this.repeating || answered.body.includes('"new"')) this.kept = answered;
    return answered;
  }
}
