import type { Redis } from 'ioredis';
import type { RedisServer } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { TIMEOUT_MS } from './issuer.js';
import { REGISTRY_KEY, type Stage } from './stage.js';

const MASTERS = 3;
const SLOTS = 16_384;

interface Member {
  readonly server: RedisServer;
  readonly operator: Redis;
}

/** A Redis Cluster of three masters; the one that has the registry has a replica. */
export interface TestCluster {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  /** Serves the registry. */
  readonly owner: RedisServer;
  /** Resolves when the owner's replica has taken over. */
  untilFailedOver(): Promise<void>;
}

export async function startCluster(stage: Stage): Promise<TestCluster> {
  const members = await Promise.all(Array.from({ length: MASTERS + 1 }, () => startMember(stage)));
  const [first, ...others] = members;
  const share = Math.ceil(SLOTS / MASTERS);
  for (const [index, { operator }] of members.slice(0, MASTERS).entries()) {
    await operator.cluster('ADDSLOTSRANGE', index * share, Math.min((index + 1) * share, SLOTS) - 1);
    // Else all would claim the same one, and slots would be moved about.
    await operator.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  }
  for (const { server } of others) await first!.operator.cluster('MEET', '127.0.0.1', server.port);
  await untilAllSay(members, `cluster_known_nodes:${members.length}`);
  await untilAllSay(members, 'cluster_state:ok');

  const slot = Number(await first!.operator.cluster('KEYSLOT', REGISTRY_KEY));
  const owner = members[Math.floor(slot / share)]!;
  const replica = members[MASTERS]!;
  await replica.operator.cluster('REPLICATE', String(await owner.operator.cluster('MYID')));
  await waitFor('the replica to follow', TIMEOUT_MS, async () =>
    (await replica.operator.info('replication')).includes('master_link_status:up'),
  );
  return {
    nodes: members.map(({ server }) => ({ host: '127.0.0.1', port: server.port })),
    owner: owner.server,
    untilFailedOver: async () => {
      await waitFor('the replica to take over', TIMEOUT_MS, async () =>
        (await replica.operator.info('replication')).includes('role:master'),
      );
    },
  };
}

async function startMember(stage: Stage): Promise<Member> {
  const server = await stage.redis({ args: ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'] });
  return { server, operator: stage.client(server.url) };
}

async function untilAllSay(members: readonly Member[], words: string): Promise<void> {
  await waitFor(`the cluster to say ${words}`, TIMEOUT_MS, async () => {
    const infos = await Promise.all(members.map(({ operator }) => operator.cluster('INFO')));
    return infos.every((info) => info.includes(words));
  });
}
