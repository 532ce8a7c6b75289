import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Account } from './account.js';

/**
 * The Debian packages that only the lab needs: a load balancer, what code in other languages is compiled and run with, and the model checker
 * with its compiler.
 */
export const LAB_PACKAGES = [
  'pgpool2',
  'golang-go',
  'default-jdk-headless',
  'spin',
  'gcc',
  'libc6-dev',
  'protobuf-compiler',
  'protobuf-compiler-grpc',
  'python3-grpcio',
] as const;

/**
 * The Debian packages that bring the servers, shells, certificates, browser and Python of the tests, and the library that steps a process's
 * clock.
 */
export const SERVER_PACKAGES = [
  'redis-server',
  'mariadb-server',
  'postgresql',
  'etcd-server',
  'etcd-client',
  'zookeeper',
  'default-jre-headless',
  'openssl',
  'libfaketime',
  'chromium-headless-shell',
  'zsh',
  'fish',
  'python3',
  'prometheus',
] as const;
export type ServerPackage = (typeof SERVER_PACKAGES | typeof LAB_PACKAGES)[number];

export function installCommand(packages: readonly ServerPackage[]): string {
  return `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`;
}

/** A server that a test needs is not installed, and could not be installed by the tests themselves. */
export class MissingServerError extends Error {
  constructor(what: string) {
    const command = installCommand([...SERVER_PACKAGES, ...LAB_PACKAGES]);
    super(`${what} is not installed, and this test needs a real one. As root: ${command}`);
    this.name = 'MissingServerError';
  }
}

/** Too short, it would have a slow machine look like one without PostgreSQL. */
const ANSWER_WITHIN_MS = 60_000;
const SYSTEM_FOLDERS = ['/usr/local/bin', '/usr/bin', '/usr/sbin', '/usr/local/sbin', '/sbin'];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Full path of a program on the PATH or in the system folders, which a PATH without `sbin` misses. */
export function findBinary(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...SYSTEM_FOLDERS];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

export function requireBinary(name: string): string {
  const path = findBinary(name);
  if (path === undefined) throw new MissingServerError(name);
  return path;
}

/** The class path of ZooKeeper's server, which has no program of its own. With a log that keeps nothing, and TLS. */
export function findZookeeperJars(): string | undefined {
  const jars = ['zookeeper.jar', 'slf4j-nop.jar', 'netty-codec.jar', 'netty-resolver.jar'].map((name) =>
    join('/usr/share/java', name),
  );
  return jars.every((path) => existsSync(path)) ? jars.join(delimiter) : undefined;
}

export function requireZookeeperJars(): string {
  const path = findZookeeperJars();
  if (path === undefined) throw new MissingServerError('zookeeper');
  return path;
}

/** What generates a gRPC client for Python, and runs it. */
export interface PythonGrpc {
  readonly protoc: string;
  /** The plugin of `protoc`. */
  readonly plugin: string;
  /** The Python of Debian, whose packages another one on the PATH doesn't have. */
  readonly python: string;
}

/** The Python package of gRPC, where Debian installs it. */
export const PYTHON_GRPC_FOLDER = '/usr/lib/python3/dist-packages/grpc';

export function requirePythonGrpc(): PythonGrpc {
  if (!existsSync(PYTHON_GRPC_FOLDER)) throw new MissingServerError('python3-grpcio');
  return {
    protoc: requireBinary('protoc'),
    plugin: requireBinary('grpc_python_plugin'),
    python: '/usr/bin/python3',
  };
}

/** Full path of libfaketime, which Debian keeps in a folder of its architecture. */
export function findFaketime(): string | undefined {
  return readFolder('/usr/lib')
    .map((folder) => join('/usr/lib', folder, 'faketime', 'libfaketime.so.1'))
    .find((path) => existsSync(path));
}

export function requireFaketime(): string {
  const path = findFaketime();
  if (path === undefined) throw new MissingServerError('libfaketime');
  return path;
}

/**
 * The folder of a PostgreSQL whose `initdb` and `postgres` belong together and run under `account`. Debian keeps
 * them off the PATH, and what is on the PATH may be something else of that name.
 */
export function findPostgresFolder(account: Account): string | undefined {
  const debian = '/usr/lib/postgresql';
  const byVersion = (a: string, b: string): number => Number(b) - Number(a);
  const packaged = readFolder(debian)
    .sort(byVersion)
    .map((version) => join(debian, version, 'bin'));
  const onPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...packaged, ...onPath].find((folder) =>
    ['initdb', 'postgres'].every((name) => answersAsPostgres(join(folder, name), account)),
  );
}

function answersAsPostgres(path: string, account: Account): boolean {
  if (!isExecutable(path)) return false;
  try {
    const options = { ...account, timeout: ANSWER_WITHIN_MS, encoding: 'utf8' } as const;
    return execFileSync(path, ['--version'], options).includes('(PostgreSQL)');
  } catch {
    return false;
  }
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
