import type { AppFacts, SeriesFacts, WatchEvent } from '../api/console-api.js';
import type { Report } from '../watch/report.js';

/** The data source of a console: an app, or a namespace without an app. */
export interface Subject {
  /** Absent if there is no app. The page then hides everything that needs one. */
  facts?(): AppFacts | Promise<AppFacts>;
  /** Resolves to undefined if the app has no series. */
  series?(): Promise<SeriesFacts | undefined>;
  /** Reads everything that the page shows live, within a bound. Reports what can't be read and leaves it out of the event. */
  watch(report: Report): Promise<WatchEvent>;
}

/** Limits of the IDs that a console generates. */
export interface GenerateBounds {
  /** The maximum number of IDs per request. */
  readonly maxCount: number;
  /** The maximum number of requests in any minute, of all users together. */
  readonly perMinute: number;
}

/** How a console generates IDs. */
export interface Generation extends GenerateBounds {
  /** @throws SnowflakeError; UnknownMakerError */
  readonly makeIds: (maker: string, count: number) => string[];
}

/** No ID maker has this name. */
export class UnknownMakerError extends Error {}
