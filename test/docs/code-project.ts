import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type CodeBlock, ROOT } from './markdown.js';

// As the test runner of an app sets it. jest.config.mjs deletes it for the specs of the library itself.
process.env.NODE_ENV = 'test';

/** A user's project with the code of a page. The first line of each block is a comment with its file name. */
export class CodeProject {
  readonly files: readonly string[];
  readonly folder: string;

  /** @param supportFolder files that the page takes for granted, such as an entity of another page */
  constructor(blocks: readonly CodeBlock[], supportFolder?: string) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-docs-')));
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify({ type: 'module' }));
    const compilerOptions = { experimentalDecorators: true, emitDecoratorMetadata: true };
    writeFileSync(join(this.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'), 'dir');
    this.files = writeCode(this.folder, blocks, supportFolder);
  }

  get paths(): string[] {
    return this.files.map((file) => join(this.folder, file));
  }

  /** Runs a file and returns its exports. */
  import<Exports>(file: string): Promise<Exports> {
    return import(join(this.folder, file)) as Promise<Exports>;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Writes the blocks of a page, and the files that it takes for granted, into a folder. @returns names of the blocks */
export function writeCode(folder: string, blocks: readonly CodeBlock[], supportFolder?: string): string[] {
  if (supportFolder !== undefined && existsSync(supportFolder)) {
    cpSync(supportFolder, folder, { recursive: true });
  }
  return blocks.map(({ text }) => {
    const file = /^\/\/ (\S+\.ts)\n/.exec(text)?.[1];
    if (file === undefined) throw new Error(`A block does not begin with its file name:\n${text}`);
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return file;
  });
}
