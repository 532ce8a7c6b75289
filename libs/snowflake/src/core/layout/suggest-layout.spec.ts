import fc from 'fast-check';
import { BitLayout } from './bit-layout.js';
import type { BitLayoutOptions } from './bit-layout-options.js';
import { InvalidOptionError } from '../errors/input-errors.js';
import type { LayoutDemands } from './layout-demands.js';
import { type LayoutSuggestion, suggestLayout } from './suggest-layout.js';
import { runs } from '../../../../../test/support/runs.js';

const YEAR_MS = 365.2425 * 86_400_000;
const FIELDS = ['timestamp', 'worker', 'sequence'] as const;

/** Numbers of every magnitude, equally likely: powers of two and their neighbors. */
const magnitudes = (max: number): fc.Arbitrary<number> => {
  const powers = Array.from({ length: Math.floor(Math.log2(max)) + 1 }, (_, bits) => 2 ** bits);
  return fc
    .tuple(fc.constantFrom(...powers), fc.constantFrom(-1, 0, 1, 2))
    .map(([power, offset]) => Math.min(max, Math.max(1, power + offset)));
};

const demandsThatMayFit = fc.record({
  years: magnitudes(10_000),
  workers: magnitudes(2 ** 31),
  idsPerSecondPerWorker: magnitudes(1e7),
  tickMs: fc.constantFrom(1, 2, 7, 10, 100, 1000, 60_000),
  epoch: fc.integer({ min: -4e12, max: 4e12 }),
});

/** Returns whether a layout meets the demands, according to {@link BitLayout}. */
function holds(layout: BitLayout, demands: LayoutDemands): boolean {
  const lifetimeMs = layout.expiresAt.getTime() + 1 - layout.epochMs;
  return (
    lifetimeMs >= demands.years * YEAR_MS &&
    layout.maxWorkerId + 1 >= demands.workers &&
    // Multiplies instead of dividing, so that nothing is rounded.
    layout.idsPerTick * 1000 >= demands.idsPerSecondPerWorker * layout.tickMs
  );
}

/** Returns the layout with these widths, or `undefined` if a width is out of bounds. */
function layoutOf(
  bits: LayoutSuggestion['neededBits'],
  { tickMs, epoch }: LayoutDemands,
): BitLayout | undefined {
  const options: BitLayoutOptions = {
    timestampBits: bits.timestamp,
    workerBits: bits.worker,
    sequenceBits: bits.sequence,
    tickMs,
  };
  try {
    return new BitLayout(options, epoch);
  } catch (error) {
    if (error instanceof InvalidOptionError) return undefined;
    throw error;
  }
}

function suggestionOrRefusal(demands: LayoutDemands): LayoutSuggestion | InvalidOptionError {
  try {
    return suggestLayout(demands);
  } catch (error) {
    if (error instanceof InvalidOptionError) return error;
    throw error;
  }
}

function optionOf(demands: object): string {
  const refusal = suggestionOrRefusal(demands as LayoutDemands);
  return refusal instanceof InvalidOptionError ? refusal.option : 'nothing';
}

/** Returns the demands that the remedy suggests: the same ones, with one of them changed. */
function offersOf(refusal: InvalidOptionError, demands: LayoutDemands): LayoutDemands[] {
  return [...refusal.remedy.matchAll(/(\w+): (\d+)/g)].map(([, name = '', value]) => ({
    ...demands,
    [name]: Number(value),
  }));
}

describe('suggestLayout', () => {
  it('explains what it suggests', () => {
    const suggestion = suggestLayout({ years: 50, workers: 500, idsPerSecondPerWorker: 1000 });
    expect(suggestion).toEqual({
      layout: { timestampBits: 45, workerBits: 13, sequenceBits: 5, tickMs: 1 },
      epoch: '2024-01-01T00:00:00.000Z',
      neededBits: { timestamp: 41, worker: 9, sequence: 1 },
      spareBits: 12,
      spareBitsOf: { timestamp: 4, worker: 4, sequence: 4 },
      lifetimeYears: expect.closeTo(1114.9, 1),
      expiresAt: new Date('3138-12-13T12:41:28.831Z'),
      workerIds: 8192,
      idsPerSecondPerWorker: 32_000,
      explanation: expect.any(String),
    });
    expect(suggestion.explanation.split('\n')).toEqual([
      'timestamp 45 bits of ms: 1114.9 years, until 3138-12-13 (50 years need 41 bits)',
      'worker ID 13 bits: 8192 worker IDs (500 need 9 bits)',
      'sequence 5 bits: 32000 IDs per second and worker ID (1000 need 1 bits)',
      'spare 12 bits: 4 to the sequence, 4 to the worker ID, 4 to the timestamp',
    ]);
  });

  it("suggests Twitter's widths for Twitter's capacity, without spare bits", () => {
    const { layout, spareBits } = suggestLayout({
      years: 69,
      workers: 1024,
      idsPerSecondPerWorker: 4_096_000,
    });
    expect(layout).toEqual({ timestampBits: 41, workerBits: 10, sequenceBits: 12, tickMs: 1 });
    expect(spareBits).toBe(0);
  });

  it('meets the demands with 63 bits, and states its capacity correctly', () => {
    const seen = { suggestions: 0, refusals: 0 };
    fc.assert(
      fc.property(demandsThatMayFit, (demands) => {
        const suggestion = suggestionOrRefusal(demands);
        if (suggestion instanceof InvalidOptionError) return void seen.refusals++;
        seen.suggestions++;
        const layout = new BitLayout(suggestion.layout, suggestion.epoch);
        expect(holds(layout, demands)).toBe(true);
        expect(layout.fields.reduce((sum, { bits }) => sum + bits, 0)).toBe(63);
        expect(layout.epochMs).toBe(demands.epoch);
        expect(suggestion.expiresAt).toEqual(layout.expiresAt);
        expect(suggestion.workerIds).toBe(layout.maxWorkerId + 1);
        expect(suggestion.idsPerSecondPerWorker).toBe(
          Math.floor((layout.idsPerTick * 1000) / demands.tickMs),
        );
        const lifetimeMs = layout.expiresAt.getTime() + 1 - layout.epochMs;
        expect(suggestion.lifetimeYears).toBeCloseTo(lifetimeMs / YEAR_MS, 9);
      }),
      { numRuns: runs(1000) },
    );
    expect(Math.min(seen.suggestions, seen.refusals)).toBeGreaterThan(runs(1000) / 20);
  });

  it('uses no more bits than needed', () => {
    fc.assert(
      fc.property(demandsThatMayFit, (demands) => {
        const suggestion = suggestionOrRefusal(demands);
        fc.pre(!(suggestion instanceof InvalidOptionError));
        const { neededBits } = suggestion;
        const needed = layoutOf(neededBits, demands);
        expect(needed && holds(needed, demands)).toBe(true);
        for (const field of FIELDS) {
          const narrower = layoutOf({ ...neededBits, [field]: neededBits[field] - 1 }, demands);
          expect(narrower !== undefined && holds(narrower, demands)).toBe(false);
        }
      }),
      { numRuns: runs(1000) },
    );
  });

  it('distributes all spare bits evenly', () => {
    fc.assert(
      fc.property(demandsThatMayFit, (demands) => {
        const suggestion = suggestionOrRefusal(demands);
        fc.pre(!(suggestion instanceof InvalidOptionError));
        const { spareBits, spareBitsOf, neededBits, layout } = suggestion;
        const widths = {
          timestamp: layout.timestampBits,
          worker: layout.workerBits,
          sequence: layout.sequenceBits,
        };
        for (const field of FIELDS) expect(widths[field]).toBe(neededBits[field] + spareBitsOf[field]);
        const shares = FIELDS.map((field) => spareBitsOf[field]);
        expect(shares.reduce((sum, share) => sum + share)).toBe(spareBits);
        const full = layout.workerBits === 31 || layout.sequenceBits === 31 || layout.timestampBits === 53;
        if (!full) expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('refuses demands beyond 63 bits, and suggests the largest ones that fit', () => {
    let offers = 0;
    fc.assert(
      fc.property(demandsThatMayFit, (demands) => {
        const refusal = suggestionOrRefusal(demands);
        fc.pre(refusal instanceof InvalidOptionError);
        expect(refusal.option).toBe('years, workers, idsPerSecondPerWorker');
        for (const offer of offersOf(refusal, demands)) {
          offers++;
          expect(optionOf(offer)).toBe('nothing');
          // A longer tick only has to fit. The other demands are the largest that fit.
          if (offer.tickMs !== demands.tickMs) continue;
          for (const name of ['years', 'workers', 'idsPerSecondPerWorker'] as const) {
            if (offer[name] !== demands[name]) {
              expect(optionOf({ ...offer, [name]: offer[name] + 1 })).toBe(refusal.option);
            }
          }
        }
      }),
      { numRuns: runs(1000) },
    );
    expect(offers).toBeGreaterThan(runs(1000) / 5);
  });

  it.each([
    [
      { years: 100, workers: 100_000, idsPerSecondPerWorker: 100_000 },
      'years, workers, idsPerSecondPerWorker need 42 + 17 + 7 bits, and an ID has 63 ' +
        '(given: [100, 100000, 100000]). Use years: 17, or workers: 16384, or idsPerSecondPerWorker: 16000.',
    ],
    [
      { years: 100, workers: 2 ** 22, idsPerSecondPerWorker: 100 },
      'years, workers, idsPerSecondPerWorker need 42 + 22 + 1 bits, and an ID has 63 ' +
        '(given: [100, 4194304, 100]). Use years: 34, or workers: 1048576, or tickMs: 10.',
    ],
    [
      { years: 10_000, workers: 2 ** 31, idsPerSecondPerWorker: 1e9 },
      'years, workers, idsPerSecondPerWorker need 49 + 31 + 20 bits, and an ID has 63 ' +
        '(given: [10000, 2147483648, 1000000000]). Reduce at least two of them.',
    ],
  ])('says how to reduce %p', (demands, message) => {
    expect(() => suggestLayout(demands)).toThrow(message);
  });

  const demands = { years: 10, workers: 10, idsPerSecondPerWorker: 10 };

  it.each<[string, object]>([
    ['years', { years: 0 }],
    ['years', { years: 10_001 }],
    ['years', { years: 1.5 }],
    ['years', { years: '10' }],
    ['workers', { workers: 0 }],
    ['workers', { workers: 2 ** 31 + 1 }],
    ['workers', { workers: undefined }],
    ['idsPerSecondPerWorker', { idsPerSecondPerWorker: 0.1 }],
    ['idsPerSecondPerWorker', { idsPerSecondPerWorker: 1e9 + 1 }],
    ['idsPerSecondPerWorker', { idsPerSecondPerWorker: 35_791_395, tickMs: 60_000 }],
    ['tickMs', { tickMs: 0 }],
    ['tickMs', { tickMs: 60_001 }],
    ['epoch', { epoch: 'yesterday' }],
    ['years', { years: 10_000, epoch: 8.6e15 }],
    ['worker', { worker: 5 }],
  ])('refuses %s of %p', (option, wrong) => {
    expect(optionOf({ ...demands, ...wrong })).toBe(option);
  });

  it.each([undefined, null, 5, [], 'many'])('refuses %p as demands', (none) => {
    expect(() => suggestLayout(none as unknown as LayoutDemands)).toThrow(InvalidOptionError);
  });

  it('accepts the largest value of each demand', () => {
    expect(optionOf({ ...demands, workers: 1, years: 10_000 })).toBe('nothing');
    expect(optionOf({ ...demands, years: 1, tickMs: 60_000, workers: 2 ** 31 })).toBe('nothing');
    expect(optionOf({ ...demands, workers: 1, tickMs: 60_000, idsPerSecondPerWorker: 35_791_394 })).toBe(
      'nothing',
    );
  });
});
