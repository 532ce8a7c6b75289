import type { Scenario } from '../support/scenario.js';
import { access } from './access.js';
import { clocks } from './clocks.js';
import { etcdScenarios } from './etcd.js';
import { failovers } from './failovers.js';
import { histories } from './histories.js';
import { messages } from './messages.js';
import { network } from './network.js';
import { processes } from './processes.js';
import { quorums } from './quorums.js';
import { redisHangs } from './redis-hangs.js';
import { redisRestarts } from './redis-restarts.js';
import { redisWiped } from './redis-wiped.js';
import { services } from './services.js';
import { splitBrains } from './split-brain.js';

/** All scenarios, in the order of the table. */
export const SCENARIOS: readonly Scenario[] = [
  ...redisRestarts,
  ...redisHangs,
  ...redisWiped,
  ...processes,
  ...network,
  ...messages,
  ...clocks,
  ...failovers,
  ...histories,
  ...splitBrains,
  ...access,
  ...services,
  ...quorums,
  ...etcdScenarios,
];
