import { CodeProject } from './code-project.js';
import { MarkdownPage } from './markdown.js';

const page = MarkdownPage.read('docs/stores/your-own.md');
const project = new CodeProject(page.blocksIn('ts'));

// Its tests are those of this spec: the store of the page passes the contract.
await project.import('sqlite-lease-store.spec.ts');
