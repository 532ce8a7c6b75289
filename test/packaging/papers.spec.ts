import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { MarkdownPage, ROOT } from '../docs/markdown.js';

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

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly {
    readonly type: string;
    readonly id?: string;
    readonly attributes: { label?: string };
  }[];
}

const GITHUB = join(ROOT, '.github');
const TEMPLATES = readdirSync(join(GITHUB, 'ISSUE_TEMPLATE'));
const FORMS = TEMPLATES.filter((file) => file !== 'config.yml');
const read = (path: string): unknown => load(readFileSync(join(GITHUB, path), 'utf8'));
const workflow = (file: string): Workflow => read(`workflows/${file}`) as Workflow;
const runsOf = (job: Job | undefined): string[] => job?.steps.flatMap(({ run }) => run ?? []) ?? [];

describe('the workflows', () => {
  it.each(readdirSync(join(GITHUB, 'workflows')))('%s may only read, unless a job says why', (file) => {
    const { permissions, jobs } = workflow(file);
    expect(permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
  });

  it('run .ci/run on every version of Node that the package names', () => {
    const { test } = workflow('ci.yml').jobs;
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'libs/snowflake/package.json'), 'utf8')) as {
      engines: { node: string };
    };
    const versions = [...engines.node.matchAll(/(\d+)\.\d+\.\d+/g)].map(([, major]) => Number(major));
    expect(test?.strategy?.matrix.node).toEqual(versions);
    expect(test?.container).toBe('node:${{ matrix.node }}-bookworm');
    expect(runsOf(test)).toEqual(['.ci/run']);
  });

  it('publish with provenance, after the check of the release', () => {
    const { publish } = workflow('release.yml').jobs;
    expect(publish?.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    const runs = runsOf(publish);
    expect(runs.slice(-2)).toEqual([
      'npm run release:check',
      'npm publish --provenance --access public --workspace nestjs-snowflake',
    ]);
    expect(runs.join('\n')).toContain('"$GITHUB_REF_NAME" = "v$(node');
  });
});

describe('the issue templates', () => {
  it.each(FORMS)('%s is a form with a name, and questions with labels', (file) => {
    const { name, description, body } = read(`ISSUE_TEMPLATE/${file}`) as Form;
    expect([name, description].every((text) => text.length > 2)).toBe(true);
    const questions = body.filter(({ type }) => type !== 'markdown');
    expect(questions.length).toBeGreaterThan(2);
    expect(questions.filter(({ attributes }) => !attributes.label && attributes.label !== '')).toEqual([]);
    const ids = questions.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('cover bugs, duplicate IDs and features', () => {
    expect(FORMS.sort()).toEqual(['bug.yml', 'duplicate-id.yml', 'feature.yml']);
  });

  it('send vulnerabilities to a private report', () => {
    const { blank_issues_enabled: blank, contact_links: links } = read('ISSUE_TEMPLATE/config.yml') as {
      blank_issues_enabled: boolean;
      contact_links: { url: string }[];
    };
    expect(blank).toBe(false);
    expect(links[0]?.url).toMatch(/\/security\/advisories\/new$/);
    expect(readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')).toContain(links[0]!.url);
    const files = links.flatMap(({ url }) => /\/blob\/HEAD\/(.+)$/.exec(url)?.[1] ?? []);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});

describe('the pull request template', () => {
  it('names commands that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const text = readFileSync(join(GITHUB, 'PULL_REQUEST_TEMPLATE.md'), 'utf8');
    const named = [...text.matchAll(/`npm (?:run )?([\w:-]+)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe('the changelog', () => {
  const { headings } = MarkdownPage.read('CHANGELOG.md');

  it('has the sections of Keep a Changelog, newest version first', () => {
    const [title, first, ...others] = headings;
    expect([title, first]).toEqual(['Changelog', '[Unreleased]']);
    const allowed = /^(Added|Changed|Deprecated|Removed|Fixed|Security|\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d)$/;
    expect(others.filter((heading) => !allowed.test(heading))).toEqual([]);
    expect(others).toContain('Added');
  });
});
