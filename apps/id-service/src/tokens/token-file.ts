import { readFileSync } from 'node:fs';
import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  bearerTokens,
  type OpenGrant,
  type ServiceAuthorization,
  type TokenGrant,
} from 'nestjs-snowflake-service';
import { EnvironmentError } from '../../../shared/src/environment/environment.js';

const READ_EVERY_MS = 1_000;
type Grant = TokenGrant | OpenGrant;

/** The tokens in a JSON file, which may change while the service runs. */
export class TokenFile implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(TokenFile.name);
  private text: string;
  private current: Authorizations;
  private timer: NodeJS.Timeout | undefined;
  private problem: string | undefined;

  /** @throws EnvironmentError if the file can't be read or is invalid */
  constructor(private readonly path: string) {
    try {
      this.text = readFileSync(path, 'utf8');
      this.current = authorizationsIn(this.text);
    } catch (error) {
      throw new EnvironmentError([problemIn(path, error)]);
    }
  }

  /** Decides on calls of clients. */
  readonly authorize: ServiceAuthorization = (call) => this.current.ofAll(call);

  /** The same for pages of operators, which no grant for anyone opens. */
  readonly authorizeHolder: ServiceAuthorization = (call) => this.current.ofHolders(call);

  /** Reads the text instead of watching the file, which can be a link that is replaced, as those of a Kubernetes Secret are. */
  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.readAgain(), READ_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Keeps the previous tokens if the file is invalid, because somebody may be writing it. */
  readAgain(): void {
    const problem = this.problemOfReading();
    // A file that stays missing is logged once.
    if (problem !== undefined && problem !== this.problem)
      this.logger.error(`${problem}. The previous tokens stay valid.`);
    this.problem = problem;
  }

  private problemOfReading(): string | undefined {
    try {
      const text = readFileSync(this.path, 'utf8');
      if (text === this.text) return undefined;
      this.current = authorizationsIn(text);
      this.text = text;
      this.logger.log('TOKENS_FILE has changed. Its tokens are valid now.');
      return undefined;
    } catch (error) {
      return problemIn(this.path, error);
    }
  }
}

/** An option of bearerTokens(), which is an entry of the file. People count entries from 1. */
const OPTION = /grants\[(\d+)\](?:\.(\w+))?/g;

function problemIn(path: string, error: unknown): string {
  const reason = (error as Error).message.replaceAll(
    OPTION,
    (_, at, field?: string) => `${field === undefined ? '' : `${field} of `}entry ${Number(at) + 1}`,
  );
  return `TOKENS_FILE (${path}) is invalid: ${reason.replace(/\.$/, '')}`;
}

interface Authorizations {
  readonly ofAll: ServiceAuthorization;
  readonly ofHolders: ServiceAuthorization;
}

function authorizationsIn(text: string): Authorizations {
  const grants = grantsIn(text);
  const held = grants.filter((grant) => !('anyone' in grant));
  return { ofAll: bearerTokens(grants), ofHolders: held.length === 0 ? () => undefined : bearerTokens(held) };
}

function grantsIn(text: string): Grant[] {
  const grants = parsed(text);
  if (!Array.isArray(grants) || grants.length === 0)
    throw new Error('it is not a JSON list with at least one entry');
  return grants.map((entry: Grant & { owner?: unknown }) => {
    const { owner: _forPeople, ...grant } = Object(entry) as typeof entry;
    return grant;
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error of JSON.parse quotes the text, and so maybe a token.
    throw new Error('it is not JSON');
  }
}
