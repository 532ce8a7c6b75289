import { during, often, SECOND, type Stage } from './fault-class.js';
import { pauses, slowNetwork } from './host-faults.js';
import { SERVICES } from './services.js';

const AWAY_MS = [100, 90 * SECOND] as const;

/** Services that end, stop and lose the store, behind a network that loses, delays, repeats and mixes up messages. */
export function badServices(stage: Stage): void {
  const { random, network, services } = stage;
  slowNetwork(stage);
  network.conditions = { ...network.conditions, stuck: 0.2, stuckMs: 90 * SECOND };
  services.stale = random.pick([0.05, 0.2, 0.5]);
  const oneOfThem = (): number => random.whole(0, SERVICES - 1);
  often(stage, 40 * SECOND, () => services.kill(oneOfThem(), during(stage, ...AWAY_MS)));
  often(stage, 40 * SECOND, () => services.pause(oneOfThem(), during(stage, ...AWAY_MS)));
  often(stage, 60 * SECOND, () => network.cut(oneOfThem(), during(stage, ...AWAY_MS)));
  pauses(stage);
}
