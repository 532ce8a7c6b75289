import { EnvironmentError } from '../../shared/src/environment/environment.js';
import { readEnvironment } from '../src/config/environment.js';

describe('the environment', () => {
  it('needs no variable, and treats an empty one as unset', () => {
    const defaults = {
      NODE_ENV: 'production',
      PORT: 3000,
      SQLITE_PATH: 'data/orders.sqlite',
      SNOWFLAKE_NAMESPACE: 'orders',
      DATABASE_LOCK_TIMEOUT_MS: 5_000,
      SHUTDOWN_GRACE_MS: 10_000,
      RATE_LIMIT_REQUESTS: 600,
      RATE_LIMIT_WINDOW_MS: 60_000,
      TRUST_PROXY_HOPS: 0,
      BODY_LIMIT_BYTES: 102_400,
      HEALTH_DETAILS: false,
    };
    expect(readEnvironment({})).toEqual(defaults);
    expect(readEnvironment({ PORT: '', DATABASE_URL: '', REDIS_URL: '', WORKER_ID: '' })).toEqual(defaults);
  });

  it('accepts valid environment variables', () => {
    const variables = {
      NODE_ENV: 'production',
      PORT: '8080',
      DATABASE_URL: 'postgres://shop@db/shop',
      REDIS_URL: 'rediss://cache:6380/1',
      WORKER_ID: '1023',
    };
    expect(readEnvironment(variables)).toMatchObject({ ...variables, PORT: 8080, WORKER_ID: 1023 });
  });

  it('accepts true and false for a switch', () => {
    expect(readEnvironment({ HEALTH_DETAILS: 'true', API_DOCS: 'false' })).toMatchObject({
      HEALTH_DETAILS: true,
      API_DOCS: false,
    });
  });

  it.each(['postgres', 'postgresql', 'mysql', 'mariadb'])('accepts a DATABASE_URL of %s', (protocol) => {
    const DATABASE_URL = `${protocol}://db/shop`;
    expect(readEnvironment({ DATABASE_URL })).toMatchObject({ DATABASE_URL });
  });

  it.each([
    [{ NODE_ENV: 'prod' }, 'NODE_ENV must be one of the following values: development, test, production'],
    [{ PORT: 'http' }, 'PORT must be a whole number from 0 to 65535'],
    [{ PORT: '65536' }, 'PORT must be a whole number from 0 to 65535'],
    [{ WORKER_ID: '-1' }, 'WORKER_ID must be a whole number from 0 to 1023'],
    [{ WORKER_ID: '1024' }, 'WORKER_ID must be a whole number from 0 to 1023'],
    [{ WORKER_ID: ' ' }, 'WORKER_ID must be a whole number from 0 to 1023'],
    [{ WORKER_ID: '1e1' }, 'WORKER_ID must be a whole number from 0 to 1023'],
    [{ WORKER_ID: '1.5' }, 'WORKER_ID must be a whole number from 0 to 1023'],
    [
      { DATABASE_URL: 'oracle://scott:tiger@db' },
      'DATABASE_URL must start with postgres://, mysql:// or mariadb://; for SQLite, set SQLITE_PATH instead',
    ],
    [
      { DATABASE_LOCK_TIMEOUT_MS: '999' },
      'DATABASE_LOCK_TIMEOUT_MS must be a whole number from 1000 to 600000',
    ],
    [{ SHUTDOWN_GRACE_MS: '10s' }, 'SHUTDOWN_GRACE_MS must be a whole number from 1000 to 3600000'],
    [{ RATE_LIMIT_REQUESTS: '-1' }, 'RATE_LIMIT_REQUESTS must be a whole number from 0 to 100000'],
    [{ RATE_LIMIT_WINDOW_MS: '0' }, 'RATE_LIMIT_WINDOW_MS must be a whole number from 1000 to 86400000'],
    [{ TRUST_PROXY_HOPS: 'true' }, 'TRUST_PROXY_HOPS must be a whole number from 0 to 10'],
    [{ BODY_LIMIT_BYTES: '1mb' }, 'BODY_LIMIT_BYTES must be a whole number from 1024 to 10485760'],
    [{ API_DOCS: 'yes' }, 'API_DOCS must be true or false'],
    [{ HEALTH_DETAILS: '1' }, 'HEALTH_DETAILS must be true or false'],
    [{ REDIS_URL: 'scott:tiger@db:6379' }, 'REDIS_URL must start with redis:// or rediss://'],
    [{ ID_SERVICE_URL: 'ids:3100' }, 'ID_SERVICE_URL must start with http:// or https://'],
  ])('refuses the environment %j', (variables, problem) => {
    expect(() => readEnvironment(variables)).toThrow(new EnvironmentError([problem]));
  });
});
