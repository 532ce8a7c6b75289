import { getConfigToken, registerAs } from '@nestjs/config';
import { Choice, Switch, WholeNumber } from './variables.js';

/** The environment variables that every server here reads. */
export abstract class ServerEnvironment {
  @Choice(
    ['development', 'test', 'production'],
    'In production, the first start on an empty store waits until every lease that the store might have forgotten has ended. So it does with a store on another machine.',
  )
  readonly NODE_ENV: 'development' | 'test' | 'production' = 'production';

  @WholeNumber(0, 65_535, 'TCP port of the HTTP server; 0 takes any free port.')
  readonly PORT: number = 3000;

  @WholeNumber(1_000, 3_600_000, 'Maximum time from SIGTERM or SIGINT to the end of the process, in ms.')
  readonly SHUTDOWN_GRACE_MS: number = 10_000;

  @WholeNumber(
    0,
    100_000,
    'Requests that one client may send per RATE_LIMIT_WINDOW_MS to this process; then 429. 0 means no limit.',
  )
  readonly RATE_LIMIT_REQUESTS: number = 600;

  @WholeNumber(1_000, 86_400_000, 'Window of the rate limit, in ms.')
  readonly RATE_LIMIT_WINDOW_MS: number = 60_000;

  @WholeNumber(
    0,
    10,
    'Number of proxies in front, which are trusted to report the address of the client. With 0, all clients behind a proxy count as one.',
  )
  readonly TRUST_PROXY_HOPS: number = 0;

  @WholeNumber(1_024, 10_485_760, 'Maximum size of a request body, in bytes; a larger one gets 413.')
  readonly BODY_LIMIT_BYTES: number = 102_400;

  @Switch('Whether /health shows addresses, worker IDs and errors to everybody. The log always has them.')
  readonly HEALTH_DETAILS: boolean = false;
}

/** Limits of the HTTP server. */
export interface HttpConfig {
  readonly bodyLimitBytes: number;
  readonly trustedProxies: number;
  readonly showsHealthDetails: boolean;
}

/** Rate limit per client. */
export interface RateLimitConfig {
  readonly requests: number;
  readonly windowMs: number;
}

/** Time limits of the shutdown. */
export interface ShutdownConfig {
  /** Until the process ends, whatever hangs. */
  readonly graceMs: number;
  /** Until connections with unanswered requests are closed. */
  readonly answerMs: number;
  /** Until modules give up waiting for the app: later, so that they only report what hangs without any connection. */
  readonly drainMs: number;
}

/** Tokens by which the shared parts of a server inject their configuration. */
export const HTTP_CONFIG = getConfigToken('http');
export const RATE_LIMIT_CONFIG = getConfigToken('rateLimit');
export const SHUTDOWN_CONFIG = getConfigToken('shutdown');

/** Reserves the end of the grace period for work after the last response: closing connections, releasing the lease. */
const LONGEST_CLOSING_MS = 2_000;

/** Returns the configuration of the shared parts, for `ConfigModule.forRoot({ load })`. */
export function serverConfigs(read: () => ServerEnvironment) {
  return [
    registerAs('http', (): HttpConfig => {
      const { BODY_LIMIT_BYTES, HEALTH_DETAILS, TRUST_PROXY_HOPS } = read();
      return {
        bodyLimitBytes: BODY_LIMIT_BYTES,
        trustedProxies: TRUST_PROXY_HOPS,
        showsHealthDetails: HEALTH_DETAILS,
      };
    }),
    registerAs('rateLimit', (): RateLimitConfig => {
      const { RATE_LIMIT_REQUESTS, RATE_LIMIT_WINDOW_MS } = read();
      return { requests: RATE_LIMIT_REQUESTS, windowMs: RATE_LIMIT_WINDOW_MS };
    }),
    registerAs('shutdown', (): ShutdownConfig => {
      const { SHUTDOWN_GRACE_MS } = read();
      const closingMs = Math.min(LONGEST_CLOSING_MS, SHUTDOWN_GRACE_MS / 2);
      return {
        graceMs: SHUTDOWN_GRACE_MS,
        answerMs: Math.floor(SHUTDOWN_GRACE_MS - closingMs),
        drainMs: Math.floor(SHUTDOWN_GRACE_MS - closingMs / 2),
      };
    }),
  ];
}
