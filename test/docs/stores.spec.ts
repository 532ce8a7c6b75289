import { PageCode } from './page-code.js';

const page = new PageCode('docs/stores/your-own.md');

afterAll(() => page.remove());

describe('the TypeScript of the page on stores of your own', () => {
  it('is a store and its test', () => {
    expect(page.notRun()).toEqual(['sqlite-lease-store.ts']);
  });
});

// Its tests are those of this spec: the store of the page keeps the contract.
await page.import('sqlite-lease-store.spec.ts');
