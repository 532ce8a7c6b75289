import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../docs/markdown.js';

/** What Grafana reads of a panel to place and draw it. */
interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: { readonly type: string; readonly uid: string };
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit?: string;
      readonly custom?: { readonly thresholdsStyle?: { readonly mode: string } };
      readonly thresholds?: {
        readonly mode: string;
        readonly steps: readonly { readonly value: number | null }[];
      };
    };
  };
}

const COLUMNS = 24;
const UNITS = ['short', 's', 'percentunit'];

const { panels } = JSON.parse(readFileSync(join(ROOT, 'docs/operations/grafana-dashboard.json'), 'utf8')) as {
  readonly panels: readonly Panel[];
};
const charts = panels.filter(({ type }) => type !== 'row');

function overlap({ gridPos: a }: Panel, { gridPos: b }: Panel): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

describe('the dashboard', () => {
  it('has panels within its columns that do not overlap, each with an ID of its own', () => {
    const overlapping = panels.flatMap((panel, index) =>
      panels.slice(index + 1).flatMap((other) => (overlap(panel, other) ? [[panel.title, other.title]] : [])),
    );
    expect(overlapping).toEqual([]);
    expect(panels.filter(({ gridPos: { x, w } }) => x < 0 || x + w > COLUMNS)).toEqual([]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    // Control.
    const [first] = panels;
    expect(overlap(first!, first!)).toBe(true);
  });

  it.each(charts.map((panel) => [panel.title, panel] as const))(
    'draws the panel "%s" with a unit, from the chosen source',
    (_, { type, datasource, targets = [], fieldConfig }) => {
      expect(['stat', 'timeseries']).toContain(type);
      expect(datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
      expect(UNITS).toContain(fieldConfig?.defaults.unit);
      expect(targets.length).toBeGreaterThan(0);
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
    },
  );

  it('draws its thresholds, which begin without a value and ascend', () => {
    const drawn = charts.filter(({ fieldConfig }) => fieldConfig?.defaults.thresholds);
    expect(drawn.length).toBeGreaterThan(0);
    for (const { title, type, fieldConfig } of drawn) {
      const { thresholds, custom } = fieldConfig!.defaults;
      const [first, ...others] = thresholds!.steps.map(({ value }) => value);
      expect([title, thresholds!.mode, first]).toEqual([title, 'absolute', null]);
      expect([title, others]).toEqual([title, others.toSorted((a, b) => Number(a) - Number(b))]);
      // Grafana draws none on a chart of its own accord.
      if (type === 'timeseries')
        expect([title, custom?.thresholdsStyle?.mode]).not.toEqual([title, undefined]);
    }
  });
});
