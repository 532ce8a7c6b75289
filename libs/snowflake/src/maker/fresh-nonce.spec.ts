import { jest } from '@jest/globals';

const crypto = await import('node:crypto');
const fs = await import('node:fs');
let isKernelReadable = true;

// The generator of a copied process: it returns what it has returned to the other copy.
jest.unstable_mockModule('node:crypto', () => ({
  ...crypto,
  randomBytes: (count: number) => Buffer.alloc(count),
}));
jest.unstable_mockModule('node:fs', () => ({
  ...fs,
  openSync: (...args: Parameters<typeof fs.openSync>) => {
    if (!isKernelReadable) throw new Error('no such file');
    return fs.openSync(...args);
  },
}));
const { freshNonce } = await import('./fresh-nonce.js');

describe('the nonce of a call [promise: unique]', () => {
  afterEach(() => {
    isKernelReadable = true;
    jest.restoreAllMocks();
  });

  const nonces = (count = 1000): string[] => Array.from({ length: count }, () => freshNonce());

  it('has 16 hex digits', () => {
    expect(freshNonce()).toMatch(/^[0-9a-f]{16}$/);
  });

  it('differs at each call although the generator in memory repeats its bytes', () => {
    jest.spyOn(process.hrtime, 'bigint').mockReturnValue(1n);
    expect(new Set(nonces()).size).toBe(1000);
  });

  it('differs at each call by the clock where the kernel can not be read', () => {
    isKernelReadable = false;
    expect(new Set(nonces()).size).toBe(1000);
  });

  it('repeats itself if neither the kernel nor the clock differs (control)', () => {
    isKernelReadable = false;
    jest.spyOn(process.hrtime, 'bigint').mockReturnValue(1n);
    expect(new Set(nonces(10)).size).toBe(1);
  });
});
