import type { StoreUnderTest, TestFramework } from './store-under-test.js';

/** One sentence of a contract. Rejects when the store does not keep it. */
export type ContractCase<Under extends StoreUnderTest = StoreUnderTest> = (under: Under) => Promise<void>;

/** Declares the cases of a contract, by suite and name, as tests. Each gets a store of its own. */
export function declareContract<Under extends StoreUnderTest>(
  suites: Readonly<Record<string, Readonly<Record<string, ContractCase<Under>>>>>,
  makeStore: () => Promise<Under>,
  { describe, it }: TestFramework,
): void {
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
