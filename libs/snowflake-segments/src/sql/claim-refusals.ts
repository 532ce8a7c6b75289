import { StoreUnavailableError } from 'nestjs-snowflake/store';
import { refusalError } from '../store/segment-refusal.js';
import type { ClaimReply, DatabaseFailure } from '../store/segment-store.js';
import { asSnowflakeError } from 'nestjs-snowflake/internal/lease/store-caller';

/** How the databases that were asked have answered a claim without granting it. */
export class ClaimRefusals {
  readonly failed: DatabaseFailure[] = [];
  private readonly silent: string[] = [];
  private isUnknown = false;
  private first: ClaimReply | undefined;
  private error: unknown;

  constructor(private readonly tag: string) {}

  note(database: string, reply: Exclude<ClaimReply, { outcome: 'granted' }>): void {
    if (reply.outcome === 'unknown-tag') this.isUnknown = true;
    else this.first ??= reply;
    if (reply.outcome !== 'spent' && reply.outcome !== 'unknown-tag')
      this.failed.push({ database, error: refusalError(this.tag, database, reply) });
  }

  noteError(database: string, error: unknown): void {
    this.error ??= error;
    this.silent.push(database);
    this.failed.push({ database, error: asSnowflakeError(error, database) });
  }

  /** Returns the reply of all. @throws the first error, since what failed can pass */
  reply(): ClaimReply {
    if (this.error !== undefined) {
      if (!this.isUnknown) throw this.error;
      throw new StoreUnavailableError(
        `The tag "${this.tag}" is new to every database that answers. It is created only while all of them answer, because ` +
          `another one may have it. Check the ${this.silent.join(' and the ')}.`,
        this.error,
      );
    }
    return this.first ?? { outcome: 'unknown-tag' };
  }
}
