import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { serverAccount } from './account.js';
import {
  findBinary,
  findFaketime,
  findPostgresFolder,
  findZookeeperJars,
  installCommand,
  LAB_PACKAGES,
  PYTHON_GRPC_FOLDER,
  SERVER_PACKAGES,
  type ServerPackage,
} from './binaries.js';

const UPDATE_WITHIN_MS = 120_000;
const INSTALL_WITHIN_MS = 600_000;
const POLICY_FILE = '/usr/sbin/policy-rc.d';

const run = promisify(execFile);

function missingPackages(needed: readonly ServerPackage[]): ServerPackage[] {
  const present: Record<ServerPackage, boolean> = {
    'redis-server': findBinary('redis-server') !== undefined,
    'mariadb-server': findBinary('mariadbd') !== undefined && findBinary('mariadb-install-db') !== undefined,
    postgresql: findPostgresFolder(serverAccount('postgres')) !== undefined,
    pgpool2: findBinary('pgpool') !== undefined,
    'etcd-server': findBinary('etcd') !== undefined,
    'etcd-client': findBinary('etcdctl') !== undefined,
    zookeeper: findZookeeperJars() !== undefined,
    'default-jre-headless': findBinary('java') !== undefined,
    openssl: findBinary('openssl') !== undefined,
    libfaketime: findFaketime() !== undefined,
    'chromium-headless-shell': findBinary('chromium-headless-shell') !== undefined,
    zsh: findBinary('zsh') !== undefined,
    fish: findBinary('fish') !== undefined,
    python3: findBinary('python3') !== undefined,
    'golang-go': findBinary('go') !== undefined,
    'default-jdk-headless': findBinary('javac') !== undefined,
    spin: findBinary('spin') !== undefined,
    gcc: findBinary('gcc') !== undefined,
    'libc6-dev': existsSync('/usr/include/stdio.h'),
    prometheus: findBinary('prometheus') !== undefined && findBinary('promtool') !== undefined,
    'protobuf-compiler': findBinary('protoc') !== undefined,
    'protobuf-compiler-grpc': findBinary('grpc_python_plugin') !== undefined,
    'python3-grpcio': existsSync(PYTHON_GRPC_FOLDER),
  };
  return needed.filter((name) => !present[name]);
}

/**
 * Installs the missing servers if this is root on Debian, and prints which ones and how before it begins.
 *
 * @param areAllNeeded whether to throw when one can't be installed; else the specs that need it fail one by one
 * @param isLab whether those are needed too that only the lab needs
 */
export async function provideServers({
  areAllNeeded,
  isLab = false,
}: {
  readonly areAllNeeded: boolean;
  readonly isLab?: boolean;
}): Promise<void> {
  const needed = isLab ? [...SERVER_PACKAGES, ...LAB_PACKAGES] : SERVER_PACKAGES;
  const missing = missingPackages(needed);
  if (missing.length === 0) return;
  const names = missing.join(', ');
  const refuse = (problem: string): void => {
    const what = areAllNeeded ? 'npm run test:unit needs no server.' : 'Whatever needs them fails.';
    const text = `${problem}\nAs root on Debian: ${installCommand(missing)}\n${what}`;
    if (areAllNeeded) throw new Error(text);
    print(text);
  };
  if (process.getuid?.() !== 0 || findBinary('apt-get') === undefined) {
    return refuse(`The tests need servers that are not installed: ${names}.`);
  }
  print(
    `The tests need servers that are not installed: ${names}.\n` +
      `Running, for up to ${(UPDATE_WITHIN_MS + INSTALL_WITHIN_MS) / 60_000} minutes: ${installCommand(missing)}\n` +
      'No service is started; the tests run private instances on free ports.',
  );
  try {
    await withoutStartingServices(() => install(missing));
    const stillMissing = missingPackages(needed);
    if (stillMissing.length > 0) throw new Error(`still missing: ${stillMissing.join(', ')}`);
    print(`Installed: ${names}`);
  } catch (error) {
    refuse(`Could not install ${names}: ${lastLines(error)}`);
  }
}

async function install(packages: readonly ServerPackage[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const aptGet = findBinary('apt-get') ?? 'apt-get';
  const waitForLock = ['-o', 'DPkg::Lock::Timeout=60'];
  await run(aptGet, [...waitForLock, 'update'], { env, timeout: UPDATE_WITHIN_MS });
  await run(aptGet, [...waitForLock, 'install', '-y', '--no-install-recommends', ...packages], {
    env,
    timeout: INSTALL_WITHIN_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** Debian packages start their service on installation, unless this file answers 101: "forbidden by policy". */
async function withoutStartingServices(task: () => Promise<void>): Promise<void> {
  if (existsSync(POLICY_FILE)) return task(); // Somebody has decided already.
  writeFileSync(POLICY_FILE, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await task();
  } finally {
    rmSync(POLICY_FILE, { force: true });
  }
}

function lastLines(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string };
  return (stderr?.trim() || message || String(error)).split('\n').slice(-5).join('\n');
}

function print(line: string): void {
  process.stderr.write(`${line}\n`);
}
