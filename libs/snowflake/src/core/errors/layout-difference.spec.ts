import { layoutDifference } from './layout-difference.js';

const STORED = 'v1 epoch=2024-01-01T00:00:00.000Z tick=1ms timestamp:41 worker:10 sequence:12 workers=0+1024';

describe('Layouts of a namespace', () => {
  it.each([
    [
      'epoch',
      STORED.replace('2024', '2025'),
      /^epoch 2024-01-01T00:00:00.000Z there, 2025-01-01T00:00:00.000Z here$/,
    ],
    [
      'range of worker IDs',
      STORED.replace('0+1024', '0+512'),
      /^range of worker IDs .*0\+1024 there, 0\+512 here$/,
    ],
    ['version', STORED.replace('v1', 'v2'), /^version v1 there, v2 here$/],
    [
      'widths',
      STORED.replace('worker:10 sequence:12', 'datacenter:2 worker:8 sequence:12'),
      /^worker bits 10 there, 8 here; datacenter bits none there, 2 here$/,
    ],
  ])('names only the %s if two layouts differ there', (_, own, expected) => {
    expect(layoutDifference(STORED, own)).toMatch(expected);
  });

  it('shows both layouts whole if only the order of their fields differs', () => {
    const own = STORED.replace('worker:10 sequence:12', 'sequence:12 worker:10');
    expect(layoutDifference(STORED, own)).toBe(`"${STORED}" there, "${own}" here`);
  });
});
