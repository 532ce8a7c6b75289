import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CodeBlock } from './markdown.js';

/** Writes the blocks of a page, and the files that it takes for granted, into a folder. @returns names of the blocks */
export function writeCode(folder: string, blocks: readonly CodeBlock[], supportFolder?: string): string[] {
  if (supportFolder !== undefined && existsSync(supportFolder)) {
    cpSync(supportFolder, folder, { recursive: true });
  }
  return blocks.map((block) => {
    const file = fileOf(block);
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, block.text);
    return file;
  });
}

/** The file name in the first line of a block. */
export function fileOf({ text }: CodeBlock): string {
  const file = /^\/\/ (\S+\.ts)\n/.exec(text)?.[1];
  if (file === undefined) throw new Error(`A block does not begin with its file name:\n${text}`);
  return file;
}
