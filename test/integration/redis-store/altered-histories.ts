import { redisServer, type ServerSources } from '../../../libs/snowflake/src/stores/redis/lua.js';
import { replaced } from '../../lease/support/altered-scripts.js';

const CONSTANT_ID = 'c0'.repeat(20);

/**
 * A real server that answers a constant replication ID, as Garnet does where it runs alone, and as KeyDB with FLASH does,
 * which restores the ID from its disk.
 */
export const constantReplicationId: ServerSources = {
  ...redisServer,
  replicationInfo: `(string.gsub(redis.call('INFO', 'replication'), 'master_replid:%w+', 'master_replid:${CONSTANT_ID}'))`,
};

const BOTH_IDS = `replication_id .. '/' .. run_id`;

/** The script takes the replication ID for the identity of the history. */
export function byReplicationIdAlone(script: string): string {
  return replaced(script, BOTH_IDS, 'replication_id');
}

/** The script takes the run ID for the identity of the history. */
export function byRunIdAlone(script: string): string {
  return replaced(script, BOTH_IDS, 'run_id');
}

/** The script doesn't mind whether the server is a master. */
export function withoutAskingForRole(script: string): string {
  const onReplicas = replaced(script, `if role == 'slave' or role == 'replica' then`, 'if false then');
  return replaced(onReplicas, `if role ~= 'master' then`, 'if false then');
}

/** The script doesn't mind which server it runs on. */
export function withoutAskingForName(script: string): string {
  return replaced(script, `if other then return { 'SERVER', other } end`, '');
}

/** The script forgets the longest window whenever a history begins. */
export function withoutKeepingWindow(script: string): string {
  return replaced(
    script,
    `set('window', text(math.max(longest_window or 0, window)))`,
    `set('window', text(window))`,
  );
}
