import { Redis } from 'ioredis';
import { examinePackages } from '../../libs/snowflake/src/cli/commands/doctor/packages-check.js';
import { RedisProbe } from '../../libs/snowflake/src/cli/commands/doctor/redis-probe.js';
import { examineSettingsOf } from '../../libs/snowflake/src/cli/commands/doctor/redis-settings.js';
import { startRedis } from '../support/servers/index.js';
import { Files } from './operator.js';

const files = new Files();
afterAll(() => files.remove());

describe('the doctor on packages', () => {
  it('finds every installed package out of its range, and no other', () => {
    const fine = files.project('fine', { '@nestjs/core': '11.1.0', ioredis: '6.0.0', typeorm: '0.3.28' });
    expect(examinePackages(fine, '22.12.0')).toEqual([]);
    const old = files.project('old', { '@nestjs/core': '10.4.1', ioredis: '5.4.0', typeorm: '1.2.0' });
    expect(examinePackages(old, '24.1.0')).toMatchObject([
      { code: 'PEER_VERSION', problem: expect.stringContaining('@nestjs/core is 10.4.1') },
      { code: 'PEER_VERSION', remedy: expect.stringMatching(/^Run: npm install ioredis@"\^/) },
    ]);
    expect(examinePackages(fine, '20.18.0')).toMatchObject([{ code: 'NODE_VERSION' }]);
  });

  it('finds nothing where the library is not installed', () => {
    expect(examinePackages(files.path('nowhere'), '18.0.0')).toEqual([]);
  });
});

it('says so if Redis shows its eviction policy nowhere', async () => {
  const trust = { minReplicas: 0, assumeNoLostWrites: false };
  const server = await startRedis({ persistence: 'aof' });
  const operator = new Redis(server.url);
  const probe = new RedisProbe(
    { url: `redis://blind:any@127.0.0.1:${server.port}`, namespace: 'shop' },
    10_000,
  );
  try {
    await operator.call('ACL', 'SETUSER', 'blind', 'on', 'nopass', '~*', '+@all', '-config');
    const info = await operator.info();
    expect(await examineSettingsOf(probe, info, trust)).toEqual([]);
    const hidden = info.replace(/^maxmemory_policy:.*$/m, '');
    expect(await examineSettingsOf(probe, hidden, trust)).toMatchObject([
      { code: 'EVICTION_UNKNOWN', severity: 'warning' },
    ]);
  } finally {
    probe.close();
    operator.disconnect();
    await server.stop();
  }
});
