import type { SnowflakeErrorCode } from 'nestjs-snowflake';
import { within } from '../../../support/wait.js';
import type { DefectName } from './defects.js';
import { measure, type Measured } from './measure.js';
import { Stage } from './stage.js';

const LONGEST_MS = 240_000;

/** What a scenario's users may see, with room for a busy computer. */
export interface Bounds {
  /** Codes of errors that at least one user sees. */
  readonly mustSee?: readonly SnowflakeErrorCode[];
  /** Codes of errors that users can see besides. All others are a failure. */
  readonly maySee?: readonly SnowflakeErrorCode[];
  /** The longest that one of them lasts, in milliseconds. */
  readonly errorsEndWithinMs?: number;
  /** How far the timestamp of an ID may be from the time at which it was made, in milliseconds. */
  readonly stampErrorMs: number;
}

/** One kind of fault on real processes, from start to end. */
export interface Scenario {
  readonly name: string;
  /** What a user sees: which errors, for how long. {@link bounds} holds it to that. */
  readonly userSees: string;
  readonly bounds: Bounds;
  /** Whether it runs in `npm run test:lab` too. */
  readonly isQuick?: boolean;
  /** Plays it. Rejects when something happened that should not have. Every process that lives must issue afterwards. */
  run(stage: Stage): Promise<void>;
}

/** A scenario with a broken library or a setting that the README warns of: the checks must find duplicates. */
export interface Control {
  readonly name: string;
  /** What is wrong, and why that leads to duplicates. */
  readonly because: string;
  readonly defect?: DefectName;
  readonly isQuick?: boolean;
  run(stage: Stage): Promise<void>;
}

export interface Outcome extends Measured {
  /** Descriptions of what is wrong; empty if nothing is. */
  readonly problems: readonly string[];
  readonly tookMs: number;
}

/** Plays a scenario and measures it. */
export function perform(scenario: Scenario): Promise<Outcome> {
  return play(
    undefined,
    async (stage) => {
      await scenario.run(stage);
      await stage.finish();
    },
    (measured) => outOfBounds(scenario.bounds, measured),
  );
}

/** Plays a control. Its problem is that there are no duplicates. */
export function performControl(control: Control): Promise<Outcome> {
  return play(
    control.defect,
    (stage) => control.run(stage),
    ({ duplicates }) => (duplicates > 0 ? [] : ['what is broken made no duplicates, or nobody saw them']),
  );
}

async function play(
  defect: DefectName | undefined,
  run: (stage: Stage) => Promise<void>,
  review: (measured: Measured) => string[],
): Promise<Outcome> {
  const startedAt = performance.now();
  const stage = new Stage(defect);
  const problems: string[] = [];
  try {
    await within('the scenario to end', LONGEST_MS, run(stage));
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  try {
    await stage.killAll();
    const measured = measure(stage.issuers);
    problems.push(...review(measured));
    return { ...measured, problems, tookMs: performance.now() - startedAt };
  } finally {
    await stage.close();
  }
}

function outOfBounds(bounds: Bounds, measured: Measured): string[] {
  const problems = [...measured.disorder];
  if (measured.ids === 0) problems.push('nobody generated an ID');
  if (measured.duplicates > 0) problems.push(`${measured.duplicates} duplicates: ${measured.firstDuplicate}`);
  if (Math.abs(measured.worstStampErrorMs) > bounds.stampErrorMs) {
    problems.push(
      `a timestamp is off by ${measured.worstStampErrorMs} ms, not ${bounds.stampErrorMs} at most`,
    );
  }
  const { mustSee = [], maySee = [], errorsEndWithinMs = 0 } = bounds;
  for (const code of mustSee) {
    if (!measured.errors.some((error) => error.code === code)) problems.push(`nobody saw ${code}`);
  }
  for (const { code, longestMs } of measured.errors) {
    if (![...mustSee, ...maySee].some((expected) => expected === code))
      problems.push(`somebody saw ${code} for ${longestMs} ms`);
    else if (longestMs > errorsEndWithinMs) problems.push(`${code} lasted for ${longestMs} ms`);
  }
  return problems;
}
