import { BitLayout, type LayoutPreset, layoutPresets } from 'nestjs-snowflake/core';
import { DEFAULT_LAYOUT, newGenerator } from '../generators.js';
import type { Made } from '../rivals/rival.js';
import type { Settings } from '../settings.js';
import { timePerId } from './speed.js';

/** Cost per ID in ns in one case of a growth table. */
export interface GrowthPoint {
  readonly name: string;
  readonly bigintNs: number;
  readonly stringNs: number;
}

/** Two sources of IDs, made anew for each round. */
interface GrowthCase {
  readonly name: string;
  readonly idsPerCall?: number;
  make(): { bigint: () => Made; string: () => Made };
}

const INSTANCES = [1, 10, 100];
const BATCHES = [1, 10, 100, 1_000, 10_000, 100_000];
/** The most that the options allow, so that small sequences last for the whole measurement. */
const WIDE_DRIFT = { maxDriftMs: 60_000 };

/** So many generators in one process, used in turn. */
export const instanceCases: readonly GrowthCase[] = INSTANCES.map((count) => ({
  name: `${count}`,
  make() {
    const generators = Array.from({ length: count }, (_, workerId) =>
      newGenerator(undefined, undefined, workerId),
    );
    const [first = newGenerator()] = generators;
    let turn = 0;
    const next = (): typeof first => {
      turn = turn + 1 < count ? turn + 1 : 0;
      return generators[turn] ?? first;
    };
    return { bigint: () => next().nextBigInt(), string: () => next().nextId() };
  },
}));

/** The default layout and all presets. */
export const layoutCases: readonly GrowthCase[] = [
  { name: 'default', layout: DEFAULT_LAYOUT },
  ...Object.entries(layoutPresets).map(([name, preset]) => ({ name, layout: usableLayout(preset) })),
].map(({ name, layout }) => ({
  name: `${name}: ${layout.idsPerTick.toLocaleString('en-US')} IDs / ${layout.tickMs} ms`,
  make() {
    const generator = newGenerator(layout, WIDE_DRIFT);
    return { bigint: () => generator.nextBigInt(), string: () => generator.nextId() };
  },
}));

/** `nextBigInts(n)` and `nextIds(n)`. */
export const batchCases: readonly GrowthCase[] = BATCHES.map((size) => ({
  name: size.toLocaleString('en-US'),
  idsPerCall: size,
  make() {
    const generator = newGenerator(undefined, WIDE_DRIFT);
    return { bigint: () => generator.nextBigInts(size), string: () => generator.nextIds(size) };
  },
}));

/** Measures the cases in turn, round after round; the quickest round counts. */
export async function measureGrowth(
  cases: readonly GrowthCase[],
  settings: Settings,
  onStep: (note: string) => void,
): Promise<GrowthPoint[]> {
  const rounds = cases.map(() => ({ bigintNs: [] as number[], stringNs: [] as number[] }));
  for (let round = 0; round < settings.rounds; round++) {
    for (const [index, { name, idsPerCall = 1, make }] of cases.entries()) {
      rounds[index]?.bigintNs.push(await timePerId(make().bigint, idsPerCall, settings));
      rounds[index]?.stringNs.push(await timePerId(make().string, idsPerCall, settings));
      onStep(name);
    }
  }
  return cases.map(({ name }, index) => ({
    name,
    bigintNs: Math.min(...(rounds[index]?.bigintNs ?? [])),
    stringNs: Math.min(...(rounds[index]?.stringNs ?? [])),
  }));
}

/** With the preset's epoch, or the default one where the preset has come to its end. */
function usableLayout({ layout, epoch }: LayoutPreset): BitLayout {
  const asPublished = new BitLayout(layout, epoch);
  return asPublished.expiresAt.getTime() > Date.now() ? asPublished : new BitLayout(layout);
}
