import { Logger } from '@nestjs/common';
import type { Segments } from '../segments/segments.js';

/** Logs failures of claims and databases, their end, and unused numbers that were lost, through Nest's Logger. */
export function logSegments(segments: Segments): void {
  const logger = new Logger('SegmentModule');
  segments.subscribe((event) => {
    switch (event.type) {
      case 'claim-failed':
        return logger.warn(
          `A claim for tag "${event.tag}" failed. Retrying until it succeeds. Until then, this process issues only the numbers that it has left. ` +
            event.error.message,
        );
      case 'recovered':
        return logger.log(
          `Claims for tag "${event.tag}" succeed again after ${event.failures} failed ${event.failures === 1 ? 'attempt' : 'attempts'}.`,
        );
      case 'database-failed':
        return logger.warn(
          `The ${event.database} is unavailable. The other databases continue, and skip its share of the numbers. ` +
            event.error.message,
        );
      case 'database-recovered':
        return logger.log(`The ${event.database} is available again.`);
      case 'return-failed':
        return logger.warn(
          `Could not return the unused numbers of tag "${event.tag}" (${event.count}). They remain a gap.`,
        );
      case 'claimed':
      case 'returned':
        return;
    }
  });
}
