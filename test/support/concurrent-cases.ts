import type { TestFramework } from 'nestjs-snowflake/store';

type Body = () => Promise<void>;

/**
 * A framework for contracts whose cases wait more than they compute, each on data of its own. The first case that runs
 * starts those of all describes, `atOnce` of them at a time, and each test waits for its own.
 */
export function concurrentCases(atOnce: number): TestFramework {
  const waiting: (() => void)[] = [];
  let isStarted = false;
  let running = 0;

  const startNext = (): void => {
    while (running < atOnce && waiting.length > 0) {
      running += 1;
      waiting.shift()?.();
    }
  };
  const inTurn = async (body: Body, turn: Promise<void>): Promise<void> => {
    await turn;
    try {
      await body();
    } finally {
      running -= 1;
      startNext();
    }
  };

  return {
    describe,
    it(name, body) {
      const outcome = inTurn(body, new Promise((resolve) => waiting.push(resolve)));
      // Its test looks at it, which may come later.
      outcome.catch(() => undefined);
      it(name, () => {
        if (!isStarted) startNext();
        isStarted = true;
        return outcome;
      });
    },
  };
}
