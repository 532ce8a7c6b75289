import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const NPM_WITHIN_MS = 240_000;
const SCRIPT_WITHIN_MS = 150_000;
/** Bound on packing and installing the library, which npm does in three commands at most. */
export const INSTALL_WITHIN_MS = 3 * NPM_WITHIN_MS;
/** Bound on a test that runs a script or the compiler in a project. */
export const USE_WITHIN_MS = 2 * SCRIPT_WITHIN_MS;

const run = promisify(execFile);

/** Where one entry point leads, by how it is loaded. */
export interface Conditions {
  readonly import: { readonly types: string; readonly default: string };
  readonly 'module-sync'?: string;
  readonly module: string;
  readonly require?: { readonly types: string; readonly default: string };
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly dependencies?: Record<string, string>;
  readonly peerDependenciesMeta: Record<string, { readonly optional: boolean }>;
  readonly main: string;
  readonly types: string;
  readonly exports: Record<string, string | Conditions>;
  readonly typesVersions: { readonly '*': Record<string, readonly string[]> };
}

/** The packages that apps import, by the folders of their sources. */
const LIBRARIES: Readonly<Record<string, string>> = {
  'nestjs-snowflake': 'libs/snowflake',
  'nestjs-snowflake-segments': 'libs/snowflake-segments',
  'nestjs-snowflake-series': 'libs/snowflake-series',
  'nestjs-snowflake-service': 'libs/snowflake-service',
};
export const LIBRARY_NAMES = Object.keys(LIBRARIES);

/** The library and the packages beside it as their users get them: packed, and installed by npm into a bare project. */
export class PackedLibrary {
  private readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-package-')));

  private constructor(
    /** The project from which all others are copied. */
    private readonly bare: string,
    private readonly tarballs: ReadonlyMap<string, Tarball>,
  ) {}

  /** Packs the built packages and installs the tarballs, with nothing else around them. */
  static async install(): Promise<PackedLibrary> {
    const tarballs = new Map<string, Tarball>();
    for (const name of LIBRARY_NAMES) tarballs.set(name, await packNamed(name));
    return new PackedLibrary(await installBare([...tarballs.values()]), tarballs);
  }

  /** Returns the paths in the tarball of a package. */
  filesOf(name: string): readonly string[] {
    return this.tarballs.get(name)?.files ?? [];
  }

  manifestOf(name: string): Manifest {
    const path = join(this.bare, 'node_modules', name, 'package.json');
    return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  }

  /**
   * A new project that has the installed libraries, the given packages and nothing else. The packages are links to
   * those of the workspace, which find their own dependencies there; the libraries are copies, and find only these.
   */
  project(name: string, packages: readonly string[]): Project {
    const folder = join(this.folder, name);
    mkdirSync(folder);
    makeProject(folder);
    // Copies by hard links: the files are many.
    execFileSync('cp', ['-al', join(this.bare, 'node_modules'), join(folder, 'node_modules')]);
    for (const packageName of packages) {
      const link = join(folder, 'node_modules', packageName);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', packageName), link, 'dir');
    }
    return new Project(folder);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What `npm pack --json` prints of a package. */
interface NpmTarball {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}
const LISTING = 'listing.json';

export interface Tarball {
  readonly path: string;
  /** Paths in the tarball. */
  readonly files: readonly string[];
}

/** Packs the built library. */
export function packLibrary(): Promise<Tarball> {
  return pack('libs/snowflake');
}

/** Packs a built package that apps import. */
export function packNamed(name: string): Promise<Tarball> {
  return pack(LIBRARIES[name] ?? name);
}

/** Packs the built command line. */
export function packCli(): Promise<Tarball> {
  return pack('libs/snowflake-cli');
}

/** Packs the built console. */
export function packConsole(): Promise<Tarball> {
  return pack('libs/snowflake-console');
}

async function pack(workspace: string): Promise<Tarball> {
  const folder = await once(basename(workspace), (unfinished) => packInto(unfinished, workspace));
  const [tarball] = JSON.parse(readFileSync(join(folder, LISTING), 'utf8')) as NpmTarball[];
  if (tarball === undefined) throw new Error(`npm pack said nothing of ${workspace}`);
  return { path: join(folder, tarball.filename), files: tarball.files.map(({ path }) => path) };
}

/** Makes a folder unless another spec of this run has done so. It lives as long as the run. */
async function once(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const { TEST_TARBALLS: tarballs } = process.env;
  if (tarballs === undefined) throw new Error('test/support/global-setup.mjs has not run');
  const folder = join(tarballs, name);
  if (existsSync(folder)) return folder;
  const unfinished = mkdtempSync(join(tarballs, 'unfinished-'));
  await make(unfinished);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another spec was faster, and what they made is equal.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

async function packInto(folder: string, workspace: string): Promise<void> {
  const cwd = join(ROOT, workspace);
  if (!existsSync(join(cwd, 'dist'))) throw new Error(`${workspace} is not built: npm run build`);
  const args = ['pack', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd, timeout: NPM_WITHIN_MS });
  writeFileSync(join(folder, LISTING), stdout);
}

/** Installs tarballs into a project that has nothing else. Resolves to its folder. */
function installBare(tarballs: readonly Tarball[]): Promise<string> {
  return once('bare', async (folder) => {
    makeProject(folder);
    // Without the required peers: each project gets those of the workspace that it names.
    const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', '--legacy-peer-deps'];
    const paths = tarballs.map(({ path }) => path);
    await run('npm', ['install', ...quiet, ...paths], { cwd: folder, timeout: NPM_WITHIN_MS });
  });
}

/** A user's project. */
export class Project {
  constructor(readonly folder: string) {}

  write(file: string, text: string): string {
    const path = join(this.folder, file);
    writeFileSync(path, text);
    return path;
  }

  /** Changes the manifests of the installed libraries, for controls. */
  changeManifests(change: (manifest: Manifest) => object): void {
    for (const name of LIBRARY_NAMES) {
      const path = join(this.folder, 'node_modules', name, 'package.json');
      const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
      // Without this, it would change in all projects.
      rmSync(path);
      writeFileSync(path, JSON.stringify(change(manifest)));
    }
  }

  /** Writes `script` into `file`, runs it with Node, and reads the JSON that it prints. */
  async run(file: string, script: string): Promise<unknown> {
    const { stdout } = await run(process.execPath, [this.write(file, script)], {
      cwd: this.folder,
      timeout: SCRIPT_WITHIN_MS,
      env: { ...process.env, NODE_OPTIONS: '', NODE_PATH: '' },
    });
    return JSON.parse(stdout) as unknown;
  }
}

function makeProject(folder: string): void {
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'user', version: '1.0.0', type: 'module' }),
  );
}
