import { Logger } from '@nestjs/common';
import type { Segments } from '../segments/segments.js';

/** Logs failed claims and databases, their end, and rests that were lost, through Nest's Logger. */
export function logSegments(segments: Segments): void {
  const logger = new Logger('SegmentModule');
  segments.subscribe((event) => {
    switch (event.type) {
      case 'claim-failed':
        return logger.warn(
          `A claim for tag "${event.tag}" failed. Retrying until it succeeds. ${event.error.message}`,
        );
      case 'recovered':
        return logger.log(`Claims for tag "${event.tag}" succeed again after ${event.failures} failures.`);
      case 'database-failed':
        return logger.warn(
          `The ${event.database} can't serve; other databases do, without what it would add. ${event.error.message}`,
        );
      case 'database-recovered':
        return logger.log(`The ${event.database} serves again.`);
      case 'return-failed':
        return logger.warn(
          `Could not give back ${event.count} numbers of tag "${event.tag}". They stay a gap.`,
        );
      case 'claimed':
      case 'returned':
        return;
    }
  });
}
