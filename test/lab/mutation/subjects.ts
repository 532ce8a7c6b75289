/** Which source is altered, and which specs must notice. The first subject that names a file is its subject. */
export interface Subject {
  /** Files, from the root of the repository. */
  readonly sources: RegExp;
  /** Specs, from the root of the repository, the quickest first. None needs a server or a build. */
  readonly specs: readonly RegExp[];
  /** Only tests whose full title matches. */
  readonly only?: string;
}

const LIBRARY = 'libs/snowflake/src';

const spec = (path: string): RegExp => new RegExp(`^${LIBRARY}/${path}\\.spec\\.ts$`);

const LEASE_SPECS = [
  spec('lease/[^/]+'),
  spec('maker/[^/]+'),
  spec('stores/fixed/fixed-stores'),
  spec('store-testing/contracts'),
];

export const SUBJECTS: readonly Subject[] = [
  {
    sources: new RegExp(`^${LIBRARY}/core/generator/`),
    specs: [spec('core/generator/[^/]+'), spec('maker/(states|listeners)')],
  },
  {
    sources: new RegExp(`^${LIBRARY}/core/ids/`),
    specs: [
      spec('core/ids/[^/]+'),
      spec('core/generator/(id-register|generator)'),
      spec('core/codecs/codecs'),
    ],
  },
  { sources: new RegExp(`^${LIBRARY}/core/layout/`), specs: [spec('core/layout/[^/]+')] },
  {
    sources: /^libs\/snowflake-segments\/src\/core\//,
    specs: [/^libs\/snowflake-segments\/src\/(core|segments)\/[^/]+\.spec\.ts$/],
  },
  {
    sources: /^libs\/snowflake-series\/src\/core\//,
    specs: [/^libs\/snowflake-series\/src\/core\/[^/]+\.spec\.ts$/],
  },
  { sources: new RegExp(`^${LIBRARY}/lease/`), specs: LEASE_SPECS },
  {
    sources: new RegExp(`^${LIBRARY}/stores/protocol/`),
    specs: [
      spec('stores/protocol/[^/]+'),
      spec('stores/memory/[^/]+'),
      spec('store-testing/contracts'),
      spec('lease/lease-keeper'),
    ],
  },
  {
    sources: /^libs\/snowflake-segments\/src\/(protocol|segments|store)\//,
    specs: [/^libs\/snowflake-segments\/src\/(segments|protocol|store-testing)\/[^/]+\.spec\.ts$/],
  },
  // What it does is visible only in a database. This one is SQLite.
  {
    sources: /^libs\/snowflake-series\/src\/transactions\/transaction-watch\.ts$/,
    specs: [/^libs\/snowflake-series\/test\/(contexts|transactions|conflicts)\.spec\.ts$/],
    only: 'SQLite',
  },
];

export function subjectOf(file: string): Subject | undefined {
  return SUBJECTS.find(({ sources }) => sources.test(file));
}
