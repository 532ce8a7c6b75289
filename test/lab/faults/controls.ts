import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../support/wait.js';
import { restoreSnapshot } from './scenarios/etcd.js';
import { followStaleMaster, loseByRestart } from './scenarios/histories.js';
import { delayRelease, deliverStuckCopy } from './scenarios/messages.js';
import { handOn } from './scenarios/processes.js';
import { loseGrant, repeatGrant } from './scenarios/services.js';
import { splitBrain, type SplitBrainSetting } from './scenarios/split-brain.js';
import { TIMEOUT_MS } from './support/issuer.js';
import { ROOMY } from './support/issuer-job.js';
import { measure } from './support/measure.js';
import type { Control } from './support/scenario.js';
import type { ScriptVariant } from './support/script-variants.js';
import type { Stage } from './support/stage.js';
import { assertThat } from './support/steps.js';

const ENOUGH = 200;
const LOOK_EVERY_MS = 300;

/** Those who go on beside each other have generated IDs twice, however late one of them is. */
async function untilDuplicates({ issuers }: Stage): Promise<void> {
  await waitFor('duplicates', TIMEOUT_MS, async () => {
    await delay(LOOK_EVERY_MS);
    return measure(issuers).duplicates > ENOUGH;
  });
}

/** The paused process goes on beside its successor. */
async function resumeBesideHeir(stage: Stage): Promise<void> {
  const { paused } = await handOn(stage);
  paused.resume();
  await untilDuplicates(stage);
}

/** The processes of a deposed master go on beside those of the new one. */
async function goOnBesideSuccessor(stage: Stage, setting: SplitBrainSetting): Promise<void> {
  await splitBrain(stage, setting);
  await untilDuplicates(stage);
}

/** A newcomer gets the worker ID of a process that the store has forgotten, and goes on beside it. */
async function issueBesideForgotten(
  stage: Stage,
  lose: typeof loseByRestart,
  scripts: ScriptVariant,
): Promise<void> {
  const { forgotten, newcomer } = await lose(stage, scripts);
  await newcomer.untilLogged('issuing');
  assertThat(newcomer.workerId === forgotten.workerId, 'the newcomer has a worker ID of its own');
  await untilDuplicates(stage);
}

/** Each removes one thing that uniqueness rests on, and plays a scenario that needs it. */
export const CONTROLS: readonly Control[] = [
  {
    name: 'control: a store that accepts every renewal',
    because: 'a process that was paused goes on with a worker ID that another one has',
    defect: 'accepts every renewal',
    isQuick: true,
    run: resumeBesideHeir,
  },
  {
    name: 'control: a generator that ignores the end of its window',
    because: 'a process that was paused goes on with a worker ID that another one has',
    defect: 'ignores the end of the window',
    isQuick: true,
    run: resumeBesideHeir,
  },
  {
    name: 'control: fencing tokens without the start of the window',
    because: 'a stuck copy of an old call makes the fencing token of its sender good again',
    async run(stage) {
      const holder = await deliverStuckCopy(stage, 'fencing token without from');
      await holder.untilEvent('renewed', stage.nowMs());
      await untilDuplicates(stage);
    },
  },
  {
    name: 'control: a release that is not asked for its fencing token',
    because: 'a late release of an earlier holder frees the worker ID of the present one',
    async run(stage) {
      const { successor, deliver } = await delayRelease(stage, {
        lease: ROOMY,
        scripts: 'release without fencing token',
      });
      const newcomer = stage.spawn();
      await newcomer.untilEvent('waiting');
      // It would notice at its next renewal, and be the first to take the worker ID again.
      successor.pause();
      await deliver();
      await newcomer.untilLogged('issuing');
      successor.resume();
      await untilDuplicates(stage);
    },
  },
  {
    name: 'control: a constant replication ID, taken for the history by itself',
    because: 'a Redis that was killed and has forgotten a worker ID grants it again at once',
    isQuick: true,
    run: (stage) => issueBesideForgotten(stage, loseByRestart, 'constant replication ID alone'),
  },
  {
    name: 'control: the run ID, taken for the history by itself',
    because:
      'a Redis that has lost a worker ID to a stale master, and is the master again, grants it at once',
    run: (stage) => issueBesideForgotten(stage, followStaleMaster, 'run ID alone'),
  },
  {
    name: 'control: a split brain without minReplicas',
    because:
      'a deposed master that serves on grants and renews worker IDs that the new one takes for fresh ones',
    run: (stage) => goOnBesideSuccessor(stage, { minReplicas: 0 }),
  },
  {
    name: 'control: a split brain of four servers with minReplicas: 1',
    because: 'the deposed master has a replica, and so has the new one: both grant',
    run: (stage) => goOnBesideSuccessor(stage, { minReplicas: 1, oldSideReplicas: 1 }),
  },
  {
    name: 'control: a service whose store has forgotten a grant, and a process that ignores the loss',
    because: 'the process gets a worker ID that another one holds',
    isQuick: true,
    async run(stage) {
      const { forgotten } = await loseGrant(stage);
      const newcomer = await stage.startOne({
        lease: { ...ROOMY, windowMs: 25_000, possibleLoss: 'ignore' },
      });
      assertThat(newcomer.workerId === forgotten.workerId, 'the newcomer has a worker ID of its own');
      await untilDuplicates(stage);
    },
  },
  {
    name: 'control: a store on etcd to which all histories look alike',
    because: 'a newcomer gets the worker ID of a process whose grant the restored snapshot lacks',
    isQuick: true,
    async run(stage) {
      const { forgotten, newcomer } = await restoreSnapshot(stage, true);
      await newcomer.untilLogged('issuing');
      assertThat(newcomer.workerId === forgotten.workerId, 'the newcomer has a worker ID of its own');
      await untilDuplicates(stage);
    },
  },
  {
    name: 'control: a load balancer that answers with an old grant under the name of the present call',
    because: 'the response passes for that to the call, and two processes use one worker ID',
    isQuick: true,
    async run(stage) {
      await repeatGrant(stage, 'under the name of the call');
      await untilDuplicates(stage);
    },
  },
];
