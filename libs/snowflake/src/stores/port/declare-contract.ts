import { requireFunction, requireMethods } from '../../core/options/option-checks.js';
import type { StoreUnderTest, TestFramework } from './store-under-test.js';

/** One case of a contract. Rejects if the store violates it. */
export type ContractCase<Under = StoreUnderTest> = (under: Under) => Promise<void>;

/** Declares the cases of a contract as tests, by suite and name. Each case gets its own store. */
export function declareContract<Under extends { dispose(): Promise<void> }>(
  suites: Readonly<Record<string, Readonly<Record<string, ContractCase<Under>>>>>,
  makeStore: () => Promise<Under>,
  framework: TestFramework,
): void {
  requireFunction('makeStore', makeStore);
  const remedy = 'Pass { describe, it } of your test framework.';
  const { describe, it } = requireMethods('framework', framework, ['describe', 'it'], remedy);
  for (const [suite, cases] of Object.entries(suites)) {
    describe(suite, () => {
      for (const [name, body] of Object.entries(cases)) {
        it(name, async () => {
          const under = await makeStore();
          try {
            await body(under);
          } finally {
            await under.dispose();
          }
        });
      }
    });
  }
}
