import { CodeProject } from './code-project.js';
import { MarkdownPage } from './markdown.js';

const page = MarkdownPage.read('docs/stores/your-own.md');
const project = new CodeProject(page.blocksIn('ts'));

afterAll(() => project.remove());

describe('the TypeScript of the page on stores', () => {
  it('compiles', () => {
    expect(project.problems()).toEqual([]);
  });

  it('is a store and its test', () => {
    expect(project.files).toEqual(['sqlite-lease-store.ts', 'sqlite-lease-store.spec.ts']);
  });
});

// Its tests are those of this spec: the store of the page keeps the contract.
await project.import('sqlite-lease-store.spec.ts');
