import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How a language runs its program, which reads vectors from stdin and prints what differs. */
export interface Runtime {
  readonly language: string;
  /** Asks whether it is installed: a command that ends with 0. */
  readonly probe: readonly string[];
  /** What has to be done before, if anything. `{scratch}` stands for a folder that is removed afterwards. */
  readonly build?: readonly string[];
  readonly run: readonly string[];
}

const program = (path: string): string => fileURLToPath(new URL(`reference/${path}`, import.meta.url));

export const runtimes: readonly Runtime[] = [
  { language: 'Python', probe: ['python3', '--version'], run: ['python3', program('python/check.py')] },
  { language: 'Perl', probe: ['perl', '--version'], run: ['perl', program('perl/check.pl')] },
  {
    language: 'Java',
    probe: ['javac', '-version'],
    build: ['javac', '-d', '{scratch}', program('java/Check.java')],
    run: ['java', '-Xshare:auto', '-XX:TieredStopAtLevel=1', '-cp', '{scratch}', 'Check'],
  },
  {
    language: 'C',
    probe: ['cc', '--version'],
    build: ['cc', '-std=c11', '-O1', '-Wall', '-Werror', '-o', '{scratch}/check', program('c/check.c')],
    run: ['{scratch}/check'],
  },
  {
    language: 'Go',
    probe: ['go', 'version'],
    build: ['go', 'build', '-o', '{scratch}/check', program('go/check.go')],
    run: ['{scratch}/check'],
  },
  { language: 'PHP', probe: ['php', '--version'], run: ['php', program('php/check.php')] },
  { language: 'Ruby', probe: ['ruby', '--version'], run: ['ruby', program('ruby/check.rb')] },
  {
    language: 'C#',
    probe: ['dotnet', '--list-sdks'],
    build: [
      'dotnet',
      'build',
      program('csharp/check.csproj'),
      '--property:BaseIntermediateOutputPath={scratch}/obj/',
      '--output',
      '{scratch}/bin',
    ],
    run: ['dotnet', '{scratch}/bin/check.dll'],
  },
];

const PROBE_WITHIN_MS = 20_000;
/** A compiler takes its time on a busy machine. */
export const RUN_WITHIN_MS = 120_000;

interface Output {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The languages that this machine has. */
export async function installedRuntimes(): Promise<readonly Runtime[]> {
  const found = await Promise.all(
    runtimes.map(async (runtime) => {
      const { code, stdout } = await execute(runtime.probe, '', PROBE_WITHIN_MS);
      // An SDK list that is empty is none, though the command succeeds.
      return code === 0 && (runtime.language !== 'C#' || stdout.trim() !== '');
    }),
  );
  return runtimes.filter((_, at) => found[at]);
}

/** A program of another language, ready to run. */
export class ReferenceProgram {
  private constructor(
    private readonly runtime: Runtime,
    private readonly scratch: string,
  ) {}

  /** Builds it where the language has to be built. */
  static async prepare(runtime: Runtime): Promise<ReferenceProgram> {
    const prepared = new ReferenceProgram(runtime, mkdtempSync(join(tmpdir(), 'vectors-')));
    if (runtime.build) {
      try {
        await prepared.succeed(runtime.build, '');
      } catch (error) {
        prepared.remove();
        throw error;
      }
    }
    return prepared;
  }

  /** Lets it check vectors, and returns the lines that it prints. */
  async check(tsv: string): Promise<string[]> {
    return (await this.succeed(this.runtime.run, tsv)).trim().split('\n');
  }

  remove(): void {
    rmSync(this.scratch, { recursive: true, force: true });
  }

  private async succeed(command: readonly string[], input: string): Promise<string> {
    const words = command.map((word) => word.replaceAll('{scratch}', this.scratch));
    const { code, stdout, stderr } = await execute(words, input, RUN_WITHIN_MS);
    if (code === 0) return stdout;
    throw new Error(`${words.join(' ')} ended with ${code ?? 'a signal'}:\n${stdout}${stderr}`);
  }
}

/** Runs a command to its end, or kills it after `withinMs`. One that is not installed ends with -1. */
function execute(
  [command = '', ...args]: readonly string[],
  input: string,
  withinMs: number,
): Promise<Output> {
  return new Promise((resolve) => {
    // Not the option `timeout`: its timer would go on where the command is not installed.
    const child = spawn(command, args, { signal: AbortSignal.timeout(withinMs), killSignal: 'SIGKILL' });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', (error) => resolve({ code: -1, stdout, stderr: error.message }));
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    // A program that ends before it has read everything says why on stderr.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
