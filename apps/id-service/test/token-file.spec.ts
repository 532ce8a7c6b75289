import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { ServiceScope } from 'nestjs-snowflake-service';
import { waitFor } from '../../../test/support/wait.js';
import { EnvironmentError } from '../../shared/src/environment/environment.js';
import { writeFirstToken } from '../src/tokens/first-token.js';
import { TokenFile } from '../src/tokens/token-file.js';

const OLD = 'old-token-0123456789';
const NEW = 'new-token-0123456789';
const SEEN_WITHIN_MS = 20_000;

let directory: string;
let path: string;
let file: TokenFile | undefined;

beforeAll(() => Logger.overrideLogger(false));
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tokens-'));
  path = join(directory, 'tokens.json');
});
afterEach(() => {
  file?.onApplicationShutdown();
  rmSync(directory, { recursive: true });
});

const write = (to: string, ...tokens: string[]): void =>
  writeFileSync(to, JSON.stringify(tokens.map((token) => ({ token, scopes: ['ids'], owner: 'billing' }))));
const admits = async (token: string, scope: ServiceScope = 'ids', name = 'shop'): Promise<boolean> =>
  (await file?.authorize({ token, scope, name, request: {} })) ?? false;

function opened(): void {
  file = new TokenFile(path);
  file.onApplicationBootstrap();
}

describe('the file of tokens', () => {
  it('admits its tokens to their scopes only', async () => {
    write(path, OLD);
    opened();
    expect(await admits(OLD)).toBe(true);
    expect(await admits(OLD, 'leases')).toBe(false);
    expect(await admits(NEW)).toBe(false);
  });

  it('reads the file again after it has changed', async () => {
    write(path, OLD);
    opened();
    write(path, NEW);
    await waitFor('the new token', SEEN_WITHIN_MS, () => admits(NEW));
    expect(await admits(OLD)).toBe(false);
  });

  it('reads the file again after its link points elsewhere, as Kubernetes replaces a Secret', async () => {
    write(join(directory, 'first'), OLD);
    write(join(directory, 'second'), OLD, NEW);
    symlinkSync('first', path);
    opened();
    symlinkSync('second', `${path}.new`);
    renameSync(`${path}.new`, path);
    await waitFor('the new token', SEEN_WITHIN_MS, () => admits(NEW));
    expect(await admits(OLD)).toBe(true);
  });

  it('keeps its tokens while the file is invalid', async () => {
    write(path, OLD);
    opened();
    writeFileSync(path, '[{ "token": "half');
    file?.readAgain();
    expect(await admits(OLD)).toBe(true);
    write(path, NEW);
    await waitFor('the new token', SEEN_WITHIN_MS, () => admits(NEW));
  });

  it('reports an invalid file once, and again when it comes back', () => {
    const report = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const invalid = '[{ "token": "half';
    write(path, OLD);
    file = new TokenFile(path);
    const reportsAfter = (change: () => void): number => {
      change();
      file?.readAgain();
      file?.readAgain();
      return report.mock.calls.length;
    };
    expect(reportsAfter(() => writeFileSync(path, invalid))).toBe(1);
    expect(reportsAfter(() => rmSync(path))).toBe(2);
    expect(reportsAfter(() => writeFileSync(path, invalid))).toBe(3);
    report.mockRestore();
  });

  it.each([
    ['no JSON', `{ ${OLD} `],
    ['no list', `{ "token": "${OLD}" }`],
    ['an empty list', '[]'],
    ['a short token', '[{ "token": "short", "scopes": ["ids"] }]'],
    ['an unknown scope', `[{ "token": "${OLD}", "scopes": ["all"] }]`],
    ['a misspelled field', `[{ "token": "${OLD}", "scopes": ["ids"], "name": ["shop"] }]`],
  ])('refuses a file with %s, and shows no token in the message', (_what, text) => {
    writeFileSync(path, text);
    const open = (): TokenFile => new TokenFile(path);
    expect(open).toThrow(EnvironmentError);
    expect(open).toThrow(path);
    expect(open).toThrow(expect.objectContaining({ message: expect.not.stringContaining(OLD) }));
  });
});

describe('an error in the file of tokens', () => {
  it.each([
    ['scopes of entry 2', { token: NEW, scopes: ['all'] }],
    ['name of entry 2', { token: NEW, scopes: ['ids'], name: ['shop'] }],
    ['token of entry 2', { scopes: ['ids'] }],
    ['entry 2', 'no object'],
  ])('names the %s, counted from 1', (named, entry) => {
    writeFileSync(path, JSON.stringify([{ token: OLD, scopes: ['ids'] }, entry]));
    expect(() => new TokenFile(path)).toThrow(named);
    expect(() => new TokenFile(path)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('grants') }),
    );
  });
});

describe('the first token', () => {
  it('writes a random token for everything, which only its owner can read', async () => {
    const other = join(directory, 'other', 'tokens.json');
    await Promise.all([writeFirstToken(path), writeFirstToken(other)]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    opened();
    const [{ token }] = JSON.parse(readFileSync(path, 'utf8')) as [{ token: string }];
    expect(readFileSync(other, 'utf8')).not.toContain(token);
    for (const scope of ['ids', 'segments', 'leases', 'claims', 'read'] as const)
      expect(await admits(token, scope)).toBe(true);
  });

  it('never replaces a file', async () => {
    write(path, OLD);
    const before = readFileSync(path, 'utf8');
    await writeFirstToken(path);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });
});
