// Writes the TypeScript of every page to dist/pages, a folder for each page, for `npm run typecheck`: one program compiles all of it
// together with this repository.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeCode } from './code-files.js';
import { tutorialApp, withSqlite } from './getting-started.js';
import { type CodeBlock, MarkdownPage, ROOT } from './markdown.js';
import { PAGES, supportFolderOf } from './pages.js';

const OUT = join(ROOT, 'dist/pages');

function write(name: string, blocks: readonly CodeBlock[], supportFolder?: string): void {
  if (blocks.length === 0) return;
  const folder = join(OUT, name);
  mkdirSync(folder, { recursive: true });
  writeCode(folder, blocks, supportFolder);
}

rmSync(OUT, { recursive: true, force: true });
for (const path of PAGES) {
  write(path.replace(/^docs\/|\.md$/g, ''), MarkdownPage.read(path).blocksIn('ts'), supportFolderOf(path));
}
const tutorialFiles = supportFolderOf('docs/getting-started.md');
write('getting-started-on-redis', tutorialApp('redisLeaseStore'), tutorialFiles);
write('getting-started-on-sqlite', tutorialApp('sqlLeaseStore', withSqlite), tutorialFiles);
