import { EnvironmentError } from '../../shared/src/environment/environment.js';
import { testVariablesOn } from '../../shared/test/support/variables-on-page.js';
import { Environment, readEnvironment } from '../src/config/environment.js';

testVariablesOn('apps/id-service/README.md', Environment);

describe('the environment of the ID service', () => {
  it('needs no variable, and treats an empty one as unset', () => {
    const defaults = readEnvironment({});
    expect(defaults).toMatchObject({
      PORT: 3100,
      TOKENS_FILE: 'data/tokens.json',
      SQLITE_PATH: 'data/ids.sqlite',
      ID_INSTANCES: ['default'],
      LEASE_NAMESPACES: ['default'],
    });
    expect(readEnvironment({ PORT: '', ID_INSTANCES: '', LEASE_NAMESPACES: '' })).toEqual(defaults);
  });

  it('reads lists of names', () => {
    const variables = { ID_INSTANCES: 'shop,billing', LEASE_NAMESPACES: 'edge:eu' };
    expect(readEnvironment(variables)).toMatchObject({
      ID_INSTANCES: ['shop', 'billing'],
      LEASE_NAMESPACES: ['edge:eu'],
    });
  });

  it.each([
    ['ID_INSTANCES', 'shop,shop'],
    ['ID_INSTANCES', 'shop, billing'],
    ['ID_INSTANCES', 'shop,'],
    ['ID_INSTANCES', 'a/b'],
    ['LEASE_NAMESPACES', 'a{b}'],
    ['EPOCH', 'yesterday'],
    ['DATABASE_URL', 'sqlite:ids'],
    ['REDIS_URL', 'localhost:6379'],
    ['PORT', '65536'],
  ])('refuses %s=%s', (name, value) => {
    expect(() => readEnvironment({ [name]: value })).toThrow(EnvironmentError);
    expect(() => readEnvironment({ [name]: value })).toThrow(name);
  });

  it('refuses segments without a database that all instances share', () => {
    const REDIS_URL = 'redis://redis';
    expect(() => readEnvironment({ REDIS_URL, SEGMENT_TAGS: 'ticket' })).toThrow('DATABASE_URL');
    expect(() => readEnvironment({ REDIS_URL, SEGMENT_NAMESPACE: 'shop' })).toThrow('DATABASE_URL');
    expect(() =>
      readEnvironment({ REDIS_URL, SEGMENT_TAGS: 'ticket', DATABASE_URL: 'postgres://db/ids' }),
    ).not.toThrow();
  });

  it('shows no value in an error, because it can hold a password', () => {
    expect(() => readEnvironment({ DATABASE_URL: 'oracle://scott:tiger@db' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('tiger') }),
    );
  });
});
