import { inspect } from 'node:util';
import {
  StoreCorruptError,
  StoreRejectedError,
  StoreUnavailableError,
} from '../../core/errors/lease-errors.js';
import { credentialsIn } from '../../kit/credentials.js';
import { toStoreError } from './redis-errors.js';
import { CLUSTER_RIGHT, leastRights } from './registry-key.js';

const STORE = { description: 'redis namespace "shop"', namespace: 'shop' };
const RIGHTS = leastRights('shop');

describe('the error of a call', () => {
  it.each([
    ['WRONGPASS invalid username-password pair or user is disabled.', 'password'],
    ['NOAUTH Authentication required.', 'password'],
    ['ERR invalid password', 'password'],
    ['ERR Protocol error: unauthenticated multibulk length', 'password'],
    ["NOPERM this user has no permissions to run the 'eval' command", RIGHTS],
    [
      "ERR The user executing the script can't run this command or subcommand script: 1, on @user_script:3.",
      RIGHTS,
    ],
    ["NOPERM User app has no permissions to run the 'cluster|slots' command", CLUSTER_RIGHT],
    ['ERR Error running script: @user_script:4: This Redis command is not allowed from scripts', 'INFO'],
    ['ERR This Redis command is not allowed from script script: 1, on @user_script:4.', 'Redis Enterprise'],
    ["ERR unknown command 'EVAL', with args beginning with:", 'Lua'],
    ['Unknown RESP type 72 "H". Please report this.', 'another kind of server'],
    ['MOVED 4711 127.0.0.1:7001', 'option cluster'],
    ['ASK 4711 127.0.0.1:7001', 'option cluster'],
    ['ERR This instance has cluster support disabled', 'option url'],
  ])('takes a reply for a permanent refusal: %s', (message, remedy) => {
    const cause = new Error(message);
    const error = toStoreError(STORE, cause);
    expect(error).toBeInstanceOf(StoreRejectedError);
    expect(error).toMatchObject({ cause, retryable: false, message: expect.stringContaining(remedy) });
    expect(error.message).toContain(STORE.description);
  });

  it.each([
    'READONLY this server is a replica',
    'LOADING Redis is loading the dataset in memory',
    'CLUSTERDOWN Hash slot not served',
    'NOREPLICAS Not enough good replicas to write.',
    "OOM command not allowed when used memory > 'maxmemory'.",
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    'TRYAGAIN Multiple keys request during rehashing of slot',
    'BUSY Redis is busy running a script.',
    'MISCONF Redis is configured to save RDB snapshots',
    'ERR max number of clients reached',
    'Too many Cluster redirections. Last error: ReplyError: MOVED 4711 127.0.0.1:7001',
    'Command timed out',
    'Connection is closed.',
  ])('takes an error for retryable: %s', (message) => {
    const cause = new Error(message);
    const error = toStoreError(STORE, cause);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({ cause, retryable: true });
    expect(error.message).toBe(`${STORE.description} is unavailable: ${message.replace(/\.$/, '')}`);
  });

  it('reports a corrupt registry when the key has another type', () => {
    const message = 'WRONGTYPE Operation against a key holding the wrong kind of value';
    expect(toStoreError(STORE, new Error(message))).toBeInstanceOf(StoreCorruptError);
  });

  it('explains a failed call by what the connection reported', () => {
    const giveUp = new Error('Reached the max retries per request limit (which is 0).');
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    expect(toStoreError(STORE, giveUp, refused).message).toBe(
      `${STORE.description} is unavailable: ECONNREFUSED`,
    );
    const wrongPassword = new Error('WRONGPASS invalid username-password pair');
    expect(toStoreError(STORE, giveUp, wrongPassword)).toBeInstanceOf(StoreRejectedError);
  });

  it('explains a failed call by the last node when no node of a cluster answers', () => {
    const lastNodeError = new Error('NOAUTH Authentication required.');
    const failed = Object.assign(new Error('Failed to refresh slots cache.'), { lastNodeError });
    expect(toStoreError(STORE, failed)).toBeInstanceOf(StoreRejectedError);
  });

  it('names the user, and never a password', () => {
    const password = 'hunter2';
    const credentials = credentialsIn({ username: 'app', password, sentinelUsername: 'watch' });
    const told = (message: string): string => {
      const failed = Object.assign(new Error(message), { command: { args: ['AUTH', 'app', password] } });
      const error = toStoreError(STORE, failed, undefined, credentials);
      expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain(password);
      return error.message;
    };
    expect(told('WRONGPASS invalid username-password pair')).toEqual(
      expect.stringContaining(
        'refuses this client (user "app"): WRONGPASS invalid username-password pair. Correct',
      ),
    );
    expect(told(`ERR unknown command 'AUTH', with args beginning with: 'app' '${password}' `)).toContain(
      'connect directly to Redis 5 or later',
    );
    expect(told(`All sentinels are unreachable. Last error: WRONGPASS invalid`)).toMatch(
      /\(user "watch"\): .* Correct sentinelUsername and sentinelPassword in options\.$/,
    );
    expect(told(`the server says ${password}`)).toBe(
      `${STORE.description} is unavailable: the server says ***`,
    );
  });

  it('makes an error of anything that can be thrown', () => {
    expect(toStoreError(STORE, 'text').message).toBe(`${STORE.description} is unavailable: text`);
  });
});
