import 'reflect-metadata';
import { MarkdownPage } from '../../../docs/markdown.js';
import { layoutOf, published } from '../../../vectors/published.js';
import {
  DATABASES,
  decodeBy,
  DEFAULT_EPOCH_MS,
  FILES,
  type Group,
  PROGRAMS,
  RUN_WITHIN_MS,
  sourceOf,
} from './decoding-kit.js';

/** The published IDs of a system. Its worker ID has the datacenter in front. */
function publishedBy(system: string): Group {
  const vectors = published.filter((vector) => vector.system === system);
  const ids = vectors.map(({ id, time, precisionMs = 1, fields = {} }) => {
    const { datacenterId, workerId, sequence } = fields;
    return [
      id,
      {
        ...(time !== undefined && precisionMs === 1 ? { timestampMs: Date.parse(time) } : {}),
        ...(datacenterId !== undefined ? { workerId: datacenterId * 32 + workerId! } : {}),
        ...(sequence !== undefined ? { sequence } : {}),
      },
    ] as const;
  });
  return { epochMs: layoutOf(vectors[0]!).epochMs, ids };
}

const GROUPS: Readonly<Record<string, Group>> = {
  Twitter: publishedBy('twitter'),
  Discord: publishedBy('discord'),
  'the default layout': {
    epochMs: DEFAULT_EPOCH_MS,
    ids: [
      ['0', { timestampMs: DEFAULT_EPOCH_MS, workerId: 0, sequence: 0 }],
      ['4095', { timestampMs: DEFAULT_EPOCH_MS, workerId: 0, sequence: 4095 }],
      ['4190208', { timestampMs: DEFAULT_EPOCH_MS, workerId: 1023, sequence: 0 }],
      ['4194304', { timestampMs: DEFAULT_EPOCH_MS + 1, workerId: 0, sequence: 0 }],
      [
        '9223372036854775807',
        { timestampMs: DEFAULT_EPOCH_MS + 2 ** 41 - 1, workerId: 1023, sequence: 4095 },
      ],
    ],
  },
};

describe('the code that decodes IDs in other languages', () => {
  const page = MarkdownPage.read('docs/guides/database-ids.md').under(
    'Decode IDs in SQL, Python, Java and Go',
  );

  it('is the same on the page and in examples/decode in SQL', () => {
    expect(page.blocksIn('sql').map(({ text }) => text)).toEqual([sourceOf('sql')]);
  });

  it.each(Object.values(FILES).filter((file) => file !== FILES.sql))(
    'is linked from the page in %s',
    (file) => {
      expect(page.links).toContain(`../../examples/decode/${file}`);
    },
  );

  describe.each([...Object.keys(PROGRAMS), ...Object.keys(DATABASES)])('in %s', (name) => {
    it.each(Object.entries(GROUPS))(
      'decodes the IDs of %s',
      async (_system, group) => {
        const decoded = await decodeBy(name, group);
        expect(Object.fromEntries(decoded)).toEqual(
          Object.fromEntries(group.ids.map(([id, fields]) => [id, expect.objectContaining(fields)])),
        );
      },
      2 * RUN_WITHIN_MS,
    );
  });
});
