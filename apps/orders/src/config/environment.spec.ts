import { EnvironmentError, readEnvironment } from './environment.js';

describe('the environment', () => {
  it('needs no variable, and takes an empty one for an unset one', () => {
    const defaults = {
      NODE_ENV: 'development',
      PORT: 3000,
      SQLITE_PATH: 'data/orders.sqlite',
      SNOWFLAKE_NAMESPACE: 'orders',
    };
    expect(readEnvironment({})).toEqual(defaults);
    expect(readEnvironment({ PORT: '', DATABASE_URL: '', REDIS_URL: '', WORKER_ID: '' })).toEqual(defaults);
  });

  it('takes what it is given', () => {
    const variables = {
      NODE_ENV: 'production',
      PORT: '8080',
      DATABASE_URL: 'postgres://shop@db/shop',
      REDIS_URL: 'rediss://cache:6380/1',
      WORKER_ID: '1023',
    };
    expect(readEnvironment(variables)).toMatchObject({ ...variables, PORT: 8080, WORKER_ID: 1023 });
  });

  it.each(['postgres', 'postgresql', 'mysql', 'mariadb'])('takes a DATABASE_URL of %s', (protocol) => {
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
      'DATABASE_URL must begin with postgres://, mysql:// or mariadb://; for SQLite leave it out and set SQLITE_PATH',
    ],
    [{ REDIS_URL: 'scott:tiger@db:6379' }, 'REDIS_URL must begin with redis:// or rediss://'],
  ])('refuses %j', (variables, problem) => {
    expect(() => readEnvironment(variables)).toThrow(new EnvironmentError([problem]));
  });
});
