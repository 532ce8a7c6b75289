import { StoreRejectedError } from '../../../core/errors/lease-errors.js';
import { driverPackage } from './driver-package.js';

const missing = (): Promise<never> =>
  Promise.reject(Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' }));

describe('the package of a driver', () => {
  it('prefers the package that the options bring', async () => {
    const given = {};
    await expect(driverPackage(given, { pg: missing })).resolves.toBe(given);
  });

  it('loads the first package that is installed', async () => {
    const libsql = {};
    const packages = { 'better-sqlite3': missing, libsql: async () => ({ default: libsql }) };
    await expect(driverPackage(undefined, packages)).resolves.toBe(libsql);
  });

  it('names every package that would do if none is installed', async () => {
    const refusal = driverPackage(undefined, { 'better-sqlite3': missing, libsql: missing });
    await expect(refusal).rejects.toThrow(StoreRejectedError);
    await expect(refusal).rejects.toThrow('better-sqlite3 or libsql');
  });

  it('shows why an installed package fails to load', async () => {
    const broken = async () => Promise.reject(new Error('wrong ELF class'));
    await expect(driverPackage(undefined, { libsql: broken })).rejects.toThrow('wrong ELF class');
  });
});
