import { Inject, Injectable, Logger, ServiceUnavailableException } from '@nestjs/common';
import type { HealthCheckResult, HealthIndicatorResult } from '@nestjs/terminus';
import { HTTP_CONFIG, type HttpConfig } from '../environment/server-environment.js';

type Part = HealthIndicatorResult[string];

/** Splits the result of a health check: clients get the state of each component, the log gets the details. */
@Injectable()
export class HealthReport {
  private readonly logger = new Logger('Health');
  private readonly known = new Map<string, Part['status']>();

  constructor(@Inject(HTTP_CONFIG) private readonly config: HttpConfig) {}

  /** Returns the part of the result of a check that clients may see. @throws ServiceUnavailableException with that part */
  async of(check: () => Promise<HealthCheckResult>): Promise<HealthCheckResult> {
    try {
      return this.shown(await check());
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      throw new ServiceUnavailableException(this.shown(error.getResponse() as HealthCheckResult));
    }
  }

  /** Logs the components whose state has changed, and returns what clients may see. */
  private shown(result: HealthCheckResult): HealthCheckResult {
    for (const [name, part] of Object.entries(result.details)) this.logChange(name, part);
    if (this.config.showsHealthDetails) return result;
    return {
      ...result,
      info: withoutDetails(result.info),
      error: withoutDetails(result.error),
      details: withoutDetails(result.details),
    };
  }

  private logChange(name: string, { status, ...details }: Part): void {
    const before = this.known.get(name) ?? 'up';
    this.known.set(name, status);
    if (status === before) return;
    const line = `${name} is ${status}: ${JSON.stringify(details)}`;
    if (status === 'up') this.logger.log(line);
    else this.logger.warn(line);
  }
}

function withoutDetails(parts: Partial<HealthIndicatorResult> = {}): HealthIndicatorResult {
  return Object.fromEntries(
    Object.entries(parts).flatMap(([name, part]) => (part ? [[name, { status: part.status }]] : [])),
  );
}
