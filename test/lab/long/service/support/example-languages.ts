import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { requireBinary } from '../../../../support/servers/index.js';

const BUILD_WITHIN_MS = 120_000;
const EXAMPLES = fileURLToPath(new URL('../../../../../examples', import.meta.url));
const CHILDREN = fileURLToPath(new URL('../children', import.meta.url));

export type Language = 'Python' | 'Go';

/** How an example differs from the one of the documentation. */
export type Variant = 'steps back' | 'ignores the end of the window' | 'ignores forks';

/** A command that runs an issuing process. Its last argument, which is missing, is the job. */
type Command = readonly [program: string, ...args: string[]];

/** What a variant replaces in the source of the example in Go. */
const GO_VARIANTS: Partial<Record<Variant, readonly [text: string, by: string]>> = {
  // A clock that steps back every other second, and forward again.
  'steps back': [
    ':= time.Now()\n',
    ':= time.Now().Add(-3 * time.Second * time.Duration(time.Now().Unix()%2))\n',
  ],
  'ignores the end of the window': ['tickMs > m.held.untilMs', 'false'],
};

/** Builds the examples of the documentation, each variant once, in a folder that is removed at the end. */
export class ExamplePrograms {
  private readonly folder = mkdtempSync(join(tmpdir(), 'snowflake-examples-'));
  private readonly built = new Map<Variant | undefined, Promise<Command>>();

  async command(language: Language, variant?: Variant): Promise<Command> {
    if (language === 'Python') return pythonCommand(variant);
    const command = this.built.get(variant) ?? this.buildGo(variant);
    this.built.set(variant, command);
    return command;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Lays the program of the test, and a source with the variant, over the module of the example. */
  private async buildGo(variant?: Variant): Promise<Command> {
    const go = requireBinary('go');
    const name = (variant ?? 'example').replaceAll(' ', '-');
    const [module, source] = [join(EXAMPLES, 'go'), join(EXAMPLES, 'go/snowflake.go')];
    const [changed, overlay, program] = ['.go', '.json', ''].map((end) => join(this.folder, name + end));
    writeFileSync(changed!, goSource(readFileSync(source, 'utf8'), variant));
    const replaced = { [join(module, 'issuer/main.go')]: join(CHILDREN, 'issuer.go'), [source]: changed };
    writeFileSync(overlay!, JSON.stringify({ Replace: replaced }));
    const args = ['build', '-overlay', overlay!, '-o', program!, './issuer'];
    await promisify(execFile)(go, args, { cwd: module, timeout: BUILD_WITHIN_MS });
    return [program!];
  }
}

function pythonCommand(variant: Variant | undefined): Command {
  const python = requireBinary('python3');
  return [python, '-B', join(CHILDREN, 'issuer.py'), join(EXAMPLES, 'python'), variant ?? ''];
}

function goSource(source: string, variant: Variant | undefined): string {
  if (variant === undefined) return source;
  const [text, by] = GO_VARIANTS[variant] ?? [];
  if (text === undefined || by === undefined || !source.includes(text))
    throw new Error(`The example in Go has no place for the variant "${variant}"`);
  return source.replaceAll(text, by);
}
