import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LeaseStore, memoryLeaseStore, type SnowflakeOptions, withLocalWindow } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import type { Places } from './places.js';

/** An error as drivers throw them, without a server. */
class DriverError extends Error {
  readonly command: { readonly name: string; readonly args: readonly string[] };

  constructor(password: string) {
    super(`cannot connect to redis://app:${password}@127.0.0.1:6379`);
    this.command = { name: 'auth', args: ['app', password] };
  }
}

/** A store of the app's own, which keeps its password as it likes. */
class OwnStore implements LeaseStore {
  readonly description = 'store of the app';
  readonly renewable = true;
  private readonly inner = memoryLeaseStore();

  constructor(
    readonly password: string,
    private readonly failing: keyof LeaseStore | 'warning',
  ) {}

  open: LeaseStore['open'] = ({ warn }) => {
    if (this.failing === 'warning') warn?.(`connects to redis://app:${encodeURIComponent(this.password)}@db`);
    this.fail('open');
  };
  lease: LeaseStore['lease'] = async (request) => {
    this.fail('lease');
    // The start ends here, so that the close is seen.
    if (this.failing !== 'lease') throw Object.assign(new TypeError('no lease'), { retryable: false });
    return this.inner.lease(request);
  };
  release: LeaseStore['release'] = (request) => this.inner.release(request);
  inspect: LeaseStore['inspect'] = () => this.inner.inspect();
  close: LeaseStore['close'] = async () => this.fail('close');

  private fail(method: keyof LeaseStore): void {
    if (method === this.failing) throw new DriverError(this.password);
  }
}

const lease = { possibleLoss: 'ignore' as const, acquireTimeoutMs: 300 };
const own = (password: string, failing: keyof LeaseStore | 'warning'): SnowflakeOptions => ({
  store: new OwnStore(password, failing),
  lease,
});

/** Parts of the app that fail, and hold the password in what they throw. */
export const FOREIGN_CODE: Readonly<Record<string, (password: string, places: Places) => SnowflakeOptions>> =
  {
    'a store that cannot be opened': (password) => own(password, 'open'),
    'a store that gives no lease': (password) => own(password, 'lease'),
    'a store that cannot be closed': (password) => own(password, 'close'),
    'a store that warns': (password) => own(password, 'warning'),
    'a store behind a window on disk': (password) => ({
      store: withLocalWindow(new OwnStore(password, 'lease'), {
        file: join(tmpdir(), 'snowflake-secrets.window'),
      }),
      lease,
    }),
    'a database that the app does not find': (password) => ({
      store: sqlLeaseStore({
        namespace: 'shop',
        dataSource: async () => {
          throw new DriverError(password);
        },
      }),
      lease,
    }),
  };
