import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Account } from './account.js';

/** A server or program that a test needs is not installed, and the tests could not install it themselves. */
export class MissingServerError extends Error {
  constructor(what: string) {
    super(`${what} is not installed. As root on Debian: bash test/install-servers.sh --lab`);
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
export function requireBinary(name: string): string {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...SYSTEM_FOLDERS];
  const path = folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
  if (path === undefined) throw new MissingServerError(name);
  return path;
}

/** The class path of ZooKeeper's server, which has no program of its own. With a log that keeps nothing, and TLS. */
export function requireZookeeperJars(): string {
  const jars = ['zookeeper.jar', 'slf4j-nop.jar', 'netty-codec.jar', 'netty-resolver.jar'].map((name) =>
    join('/usr/share/java', name),
  );
  if (!jars.every((path) => existsSync(path))) throw new MissingServerError('zookeeper');
  return jars.join(delimiter);
}

/** What generates a gRPC client for Python, and runs it. */
export interface PythonGrpc {
  readonly protoc: string;
  /** The plugin of `protoc`. */
  readonly plugin: string;
  /** The Python of Debian, whose packages another one on the PATH doesn't have. */
  readonly python: string;
}

export function requirePythonGrpc(): PythonGrpc {
  if (!existsSync('/usr/lib/python3/dist-packages/grpc')) throw new MissingServerError('python3-grpcio');
  return {
    protoc: requireBinary('protoc'),
    plugin: requireBinary('grpc_python_plugin'),
    python: '/usr/bin/python3',
  };
}

/** Full path of libfaketime, which Debian keeps in a folder of its architecture. */
export function requireFaketime(): string {
  const path = readFolder('/usr/lib')
    .map((folder) => join('/usr/lib', folder, 'faketime', 'libfaketime.so.1'))
    .find((file) => existsSync(file));
  if (path === undefined) throw new MissingServerError('libfaketime');
  return path;
}

/**
 * The folder of a PostgreSQL whose `initdb` and `postgres` belong together and run under `account`. Debian keeps
 * them off the PATH, and what is on the PATH may be something else of that name.
 */
export function requirePostgresFolder(account: Account): string {
  const debian = '/usr/lib/postgresql';
  const byVersion = (a: string, b: string): number => Number(b) - Number(a);
  const packaged = readFolder(debian)
    .sort(byVersion)
    .map((version) => join(debian, version, 'bin'));
  const onPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = [...packaged, ...onPath].find((folder) =>
    ['initdb', 'postgres'].every((name) => answersAsPostgres(join(folder, name), account)),
  );
  if (found === undefined) throw new MissingServerError('PostgreSQL (initdb and postgres)');
  return found;
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
