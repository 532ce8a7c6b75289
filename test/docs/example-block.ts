import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type CodeBlock, ROOT } from './markdown.js';

/** A file of `examples` that a page links to, as a block of that page. */
export function exampleBlock(path: string): CodeBlock {
  const text = readFileSync(join(ROOT, 'examples', path), 'utf8');
  return { language: 'ts', text: `// ${basename(path)}\n${text}` };
}
