import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { serverAccount } from './account.js';
import {
  findBinary,
  findFaketime,
  findPostgresFolder,
  INSTALL_COMMAND,
  type ServerPackage,
} from './binaries.js';

const UPDATE_WITHIN_MS = 120_000;
const INSTALL_WITHIN_MS = 300_000;
const POLICY_FILE = '/usr/sbin/policy-rc.d';

const run = promisify(execFile);

function missingPackages(): ServerPackage[] {
  const present: Record<ServerPackage, boolean> = {
    'redis-server': findBinary('redis-server') !== undefined,
    'mariadb-server': findBinary('mariadbd') !== undefined && findBinary('mariadb-install-db') !== undefined,
    postgresql: findPostgresFolder(serverAccount('postgres')) !== undefined,
    pgpool2: findBinary('pgpool') !== undefined,
    libfaketime: findFaketime() !== undefined,
  };
  return (Object.keys(present) as ServerPackage[]).filter((name) => !present[name]);
}

/**
 * Installs the servers that are missing, if this is root on a Debian; else says how to. It does not stop a run:
 * specs that need no server still have their say, and those that need a missing one fail with the same command.
 */
export async function provisionServers(): Promise<void> {
  const missing = missingPackages();
  if (missing.length === 0) return;
  const names = missing.join(', ');
  if (process.getuid?.() !== 0 || findBinary('apt-get') === undefined) {
    say(`Missing for the tests: ${names}. Specs that need them will fail. As root: ${INSTALL_COMMAND}`);
    return;
  }
  say(
    `Installing for the tests: ${names} (up to ${(UPDATE_WITHIN_MS + INSTALL_WITHIN_MS) / 60_000} minutes)`,
  );
  try {
    await withoutStartingServices(() => install(missing));
    const stillMissing = missingPackages();
    if (stillMissing.length > 0)
      throw new Error(`still missing after the installation: ${stillMissing.join(', ')}`);
    say(`Installed: ${names}`);
  } catch (error) {
    say(
      `Could not install ${names}: ${lastLines(error)}\nSpecs that need them will fail. By hand: ${INSTALL_COMMAND}`,
    );
  }
}

async function install(packages: readonly ServerPackage[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const aptGet = findBinary('apt-get') ?? 'apt-get';
  const patient = ['-o', 'DPkg::Lock::Timeout=60'];
  await run(aptGet, [...patient, 'update'], { env, timeout: UPDATE_WITHIN_MS });
  await run(aptGet, [...patient, 'install', '-y', '--no-install-recommends', ...packages], {
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

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
