import type { Segments, SegmentSource } from 'nestjs-snowflake-segments';
import { requireCount } from '../requests/request-count.js';
import { unknownName } from '../requests/request-refusal.js';

/** What a client may ask for. */
export interface SegmentBounds {
  readonly maxCount: number;
  /** How long a request may wait for numbers, in milliseconds. */
  readonly callTimeoutMs: number;
}

/** The numbers of the app's own segments, by the names of their tags. */
export class ServedSegments {
  private found: Promise<Pick<Segments, 'find'> | undefined> | undefined;

  /** @param findSegments returns the segments of the app, if it has any. Called at the first request, when the app has booted. */
  constructor(
    private readonly findSegments: () => Promise<Pick<Segments, 'find'> | undefined>,
    private readonly bounds: SegmentBounds,
  ) {}

  /**
   * Issues numbers in ascending order. Those that the client doesn't get remain a gap: nothing issues a number twice.
   *
   * @param timeoutMs how long the client waits
   * @throws RequestRefusal if the app has no such tag; SnowflakeError of the source
   */
  async next(tag: string, count: number, timeoutMs: number): Promise<readonly string[]> {
    requireCount(count, this.bounds.maxCount);
    this.found ??= this.findSegments();
    const source = (await this.found)?.find(tag);
    if (!source) throw unknownName('tag');
    await this.awaitNumbers(source, count, Math.min(timeoutMs, this.bounds.callTimeoutMs));
    return source
      .nextMany(count)
      .toSorted((one, other) => one - other)
      .map(String);
  }

  /** Waits if numbers are likely to come. While claims fail, all requests would wait until the end of their time. */
  private async awaitNumbers(source: SegmentSource, count: number, timeoutMs: number): Promise<void> {
    const { left, lastError } = source.status();
    if (lastError === undefined) return source.ready(count, timeoutMs);
    if (left < count && !lastError.retryable) throw lastError;
  }
}
