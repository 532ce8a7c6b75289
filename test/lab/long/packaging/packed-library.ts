import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const NPM_WITHIN_MS = 240_000;
/** Bound on packing and installing the packages. */
export const INSTALL_WITHIN_MS = 8 * NPM_WITHIN_MS;
/** Bound on a test that runs a script or the compiler in a project. */
export const USE_WITHIN_MS = 150_000;

/** The packages that apps import. */
export const LIBRARY_NAMES = [
  'nestjs-snowflake',
  'nestjs-snowflake-coordination',
  'nestjs-snowflake-segments',
  'nestjs-snowflake-series',
  'nestjs-snowflake-service',
];
export const PACKAGE_NAMES = [...LIBRARY_NAMES, 'nestjs-snowflake-console', 'nestjs-snowflake-cli'];

/** A package.json, as far as these specs read it. */
export interface Manifest {
  readonly exports: Readonly<Record<string, string | Conditions>>;
}

/** Where an entry point leads, by how it is loaded. */
export interface Conditions {
  readonly import: unknown;
  readonly require: string;
}

export interface Tarball {
  readonly path: string;
}

export const packLibrary = (): Promise<Tarball> => packNamed('nestjs-snowflake');
export const packConsole = (): Promise<Tarball> => packNamed('nestjs-snowflake-console');

/** Packs a built package, once for all specs of a run. */
export async function packNamed(name: string): Promise<Tarball> {
  const { TEST_TARBALLS: tarballs } = process.env;
  if (tarballs === undefined) throw new Error('test/support/global-setup.mjs has not run');
  const folder = join(tarballs, name);
  if (!existsSync(folder)) {
    const unfinished = mkdtempSync(join(tarballs, 'unfinished-'));
    const source = join(ROOT, 'libs', name.replace('nestjs-', ''));
    await runIn(source, 'npm', 'pack', '--pack-destination', unfinished);
    try {
      renameSync(unfinished, folder);
    } catch (error) {
      // Another spec may have been faster, and what they made is equal.
      if (!existsSync(folder)) throw error;
    }
  }
  return { path: join(folder, readdirSync(folder)[0]!) };
}

/** Runs a program in a folder, with no packages but those that the folder has. Resolves to what it prints. */
async function runIn(cwd: string, program: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '', NODE_PATH: '' };
  return (await promisify(execFile)(program, args, { cwd, env, timeout: NPM_WITHIN_MS })).stdout;
}

/** The packages as users get them: packed, and installed by npm into an empty folder, without a single peer. */
export class PackedLibrary {
  private readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-packages-')));
  private readonly bare = join(this.folder, 'bare');

  private constructor() {}

  static async install(): Promise<PackedLibrary> {
    const library = new PackedLibrary();
    const tarballs: string[] = [];
    for (const name of PACKAGE_NAMES) tarballs.push((await packNamed(name)).path);
    mkdirSync(library.bare);
    writeFileSync(join(library.bare, 'package.json'), '{}');
    const flags = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    await runIn(library.bare, 'npm', 'install', ...flags, ...tarballs);
    return library;
  }

  /** Names of everything that npm has installed. */
  get installed(): string[] {
    return readdirSync(join(this.bare, 'node_modules')).filter((name) => !name.startsWith('.'));
  }

  /** Paths of the files of a package. */
  filesOf(name: string): string[] {
    return readdirSync(join(this.bare, 'node_modules', name), { recursive: true, encoding: 'utf8' });
  }

  read(name: string, file: string): string {
    return readFileSync(join(this.bare, 'node_modules', name, file), 'utf8');
  }

  manifestOf(name: string): Manifest {
    return JSON.parse(this.read(name, 'package.json')) as Manifest;
  }

  /**
   * A new project that has the installed packages, these peers and nothing else. The peers are links to those of the workspace,
   * which find their own dependencies there. The packages are copies, and find only these.
   */
  project(name: string, peers: readonly string[]): Project {
    const project = new Project(join(this.folder, name));
    mkdirSync(project.folder);
    project.write('package.json', '{ "type": "module" }');
    // Copies by hard links: the files are many.
    execFileSync('cp', ['-al', join(this.bare, 'node_modules'), join(project.folder, 'node_modules')]);
    for (const peer of peers) {
      const link = join(project.folder, 'node_modules', peer);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', peer), link, 'dir');
    }
    return project;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A user's project. */
export class Project {
  constructor(readonly folder: string) {}

  write(file: string, text: string): string {
    const path = join(this.folder, file);
    writeFileSync(path, text);
    return path;
  }

  /** Runs a program here, and reads the JSON that it prints. */
  async json(program: string, ...args: string[]): Promise<unknown> {
    return JSON.parse(await runIn(this.folder, program, ...args)) as unknown;
  }
}
