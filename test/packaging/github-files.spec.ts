import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { ROOT } from '../docs/markdown.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly container?: string;
  readonly strategy?: { readonly matrix: { readonly node: readonly number[] } };
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes': number;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const GITHUB = join(ROOT, '.github');
const read = (path: string): unknown => load(readFileSync(join(GITHUB, path), 'utf8'));
const workflow = (file: string): Workflow => read(`workflows/${file}`) as Workflow;
const runsOf = (job: Job | undefined): string[] => job?.steps.flatMap(({ run }) => run ?? []) ?? [];

describe('the workflows', () => {
  it.each(readdirSync(join(GITHUB, 'workflows')))('%s may only read, unless a job says why', (file) => {
    const { permissions, jobs } = workflow(file);
    expect(permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
  });

  it('ci.yml runs .ci/run on every version of Node that the package names', () => {
    const { test } = workflow('ci.yml').jobs;
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'libs/snowflake/package.json'), 'utf8')) as {
      engines: { node: string };
    };
    const versions = [...engines.node.matchAll(/(\d+)\.\d+\.\d+/g)].map(([, major]) => Number(major));
    expect(test?.strategy?.matrix.node).toEqual(versions);
    expect(test?.container).toBe('node:${{ matrix.node }}-bookworm');
    expect(runsOf(test)).toEqual(['.ci/run']);
  });

  it('release.yml checks the release before it publishes, and may sign the provenance and push tags', () => {
    const { publish } = workflow('release.yml').jobs;
    expect(publish?.permissions).toEqual({ contents: 'write', 'id-token': 'write' });
    const runs = runsOf(publish);
    const [check, publishing] = ['npm run release:check', 'npx changeset publish'].map((each) =>
      runs.indexOf(each),
    );
    expect(check).toBeGreaterThan(0);
    expect(publishing).toBeGreaterThan(check!);
  });
});
