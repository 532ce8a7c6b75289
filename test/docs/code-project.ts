import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUpAfterAll, temporaryFolder } from '../support/clean-up.js';
import { writeCode } from './code-files.js';
import { type CodeBlock, ROOT } from './markdown.js';

// As the test runner of an app sets it. jest.config.mjs deletes it for the specs of the library itself.
process.env.NODE_ENV = 'test';

const cleanUp = cleanUpAfterAll();

/** A user's project with the code of a page, until the end of the spec. The first line of each block is a comment with its file name. */
export class CodeProject {
  readonly files: readonly string[];
  readonly folder = temporaryFolder(cleanUp);

  /** @param supportFolder files that the page takes for granted, such as an entity of another page */
  constructor(blocks: readonly CodeBlock[], supportFolder?: string) {
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify({ type: 'module' }));
    const compilerOptions = { experimentalDecorators: true, emitDecoratorMetadata: true };
    writeFileSync(join(this.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'), 'dir');
    this.files = writeCode(this.folder, blocks, supportFolder);
  }

  pathOf(file: string): string {
    return join(this.folder, file);
  }

  /** Runs a file and returns its exports. */
  import<Exports>(file: string): Promise<Exports> {
    return import(this.pathOf(file)) as Promise<Exports>;
  }

  /** Runs a file and returns the export `name`. */
  async run<Exported>(file: string, name: string): Promise<Exported> {
    const exports = await this.import<Record<string, Exported>>(file);
    if (exports[name] === undefined) throw new Error(`${file} exports no ${name}`);
    return exports[name];
  }
}
