import type { AppFacts, SeriesFacts, WatchEvent } from '../api/console-api.js';
import type { Report } from '../watch/report.js';

/** What a console shows: an app, or a namespace without one. */
export interface Subject {
  /** Absent if there is no app: the page then hides what needs one. */
  facts?(): AppFacts | Promise<AppFacts>;
  /** Makes IDs. Absent if the console makes none. @throws SnowflakeError; UnknownMakerError */
  makeIds?(maker: string, count: number): string[];
  /** Resolves to undefined if the app has no series. */
  series?(): Promise<SeriesFacts | undefined>;
  /** Reads all there is to watch. Bounded. What can't be read is reported, and left out of the event. */
  watch(report: Report): Promise<WatchEvent>;
}

/** How many IDs the console makes. */
export interface GenerateBounds {
  /** The most IDs of one request. */
  readonly maxCount: number;
  /** The most requests of any minute, of all users together. */
  readonly perMinute: number;
}

/** No ID maker has this name. */
export class UnknownMakerError extends Error {}
