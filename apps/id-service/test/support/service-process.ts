import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OpenGrant, TokenGrant } from 'nestjs-snowflake-service';
import { AppProcess, type ProcessEnd } from '../../../shared/test/support/app-process.js';

const MAIN = fileURLToPath(new URL('../../../../dist/apps/id-service/src/main.js', import.meta.url));
const ANSWER_WITHIN_MS = 60_000;

/** A token for everything, for services that get their tokens from a test. */
export const TOKEN = 'token-of-the-tests-0123456789';

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** A folder for the files of services, which is deleted at the end. */
export class ServiceFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'id-service-'));
  readonly tokensFile = join(this.path, 'tokens.json');

  /** Writes the file of tokens. */
  writeTokens(...grants: readonly (TokenGrant | OpenGrant)[]): void {
    writeFileSync(this.tokensFile, JSON.stringify(grants));
  }

  /** The environment of a service here, with {@link TOKEN} as its token. */
  env(variables: Record<string, string> = {}): Record<string, string> {
    this.writeTokens({ token: TOKEN, scopes: ['ids', 'segments', 'leases', 'claims', 'read'] });
    return { TOKENS_FILE: this.tokensFile, SQLITE_PATH: join(this.path, 'ids.sqlite'), ...variables };
  }

  /** The token that a service has written to its default place below this folder. */
  get firstToken(): string {
    const text = readFileSync(join(this.path, 'data', 'tokens.json'), 'utf8');
    return (JSON.parse(text) as TokenGrant[])[0]?.token ?? '';
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}

/** The built ID service as a process, as `npm run start:service` runs it. */
export class ServiceProcess extends AppProcess {
  /** Starts it without waiting. */
  static spawn(env: Record<string, string>, cwd?: string, args: readonly string[] = []): ServiceProcess {
    return new ServiceProcess(AppProcess.run(MAIN, env, cwd, args));
  }

  /** Starts it and waits until it listens. */
  static start(env: Record<string, string>, cwd?: string): Promise<ServiceProcess> {
    return ServiceProcess.spawn(env, cwd).untilListening();
  }

  /** Kills it, so that it gives nothing back. */
  kill(): Promise<ProcessEnd> {
    this.signal('SIGKILL');
    return this.untilEnd();
  }
}

/** Sends a request on a connection of its own, and reads the JSON or the text of the response. */
export async function ask<Body>(
  url: string,
  token: string | undefined,
  body?: unknown,
): Promise<Answer<Body>> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      connection: 'close',
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : text) as Body,
  };
}
