import 'reflect-metadata';
import { Module, type Type } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { createRequire } from 'node:module';
import { load } from 'js-yaml';
import { SnowflakeIdMaker, SnowflakeModule, type SnowflakeModuleOptions } from 'nestjs-snowflake';
import { SnowflakeHealthIndicator } from 'nestjs-snowflake/terminus';
import { BitLayout } from '../../libs/snowflake/src/core/layout/bit-layout.js';
import { keeperSettings } from '../../libs/snowflake/src/lease/lease-options.js';
import { DRAIN_TIMEOUT_MS } from '../../libs/snowflake/src/kit/nest/bounded-drain.js';
import { HttpApp } from '../adapters/http-apps.js';
import { runHere } from '../../libs/snowflake-cli/test/run-here.js';
import { cleanUpAfterAll } from '../support/clean-up.js';
import { startRedis, startSentinel } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { MarkdownPage } from './markdown.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';
import { grantPrintedRights } from './redis-rights.js';

const INITIALIZED_WITHIN_MS = 60_000;

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

interface Container {
  readonly image: string;
  readonly command: readonly string[];
  readonly ports?: readonly { readonly name: string }[];
  readonly envFrom: readonly object[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
}

interface Workload {
  readonly kind: string;
  readonly spec: {
    readonly replicas: number;
    readonly strategy: { readonly rollingUpdate: { readonly maxSurge: number } };
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly Container[];
      };
    };
  };
}

const code = new PageCode('docs/guides/kubernetes.md');
const workloads = code.page.blocksIn('yaml').map(({ text }) => load(text) as Workload);
const ofKind = (kind: string): Workload => workloads.find((workload) => workload.kind === kind)!;
const deployment = ofKind('Deployment');
const timing = keeperSettings(new BitLayout(), {});
const drainMs = DRAIN_TIMEOUT_MS.check('drainTimeoutMs', undefined);
const drainSeconds = drainMs / 1000;

const containerOf = (workload: Workload): Container => workload.spec.template.spec.containers[0]!;
const probesOf = (workload: Workload): Probe[] => {
  const { startupProbe, livenessProbe, readinessProbe } = containerOf(workload);
  return [startupProbe, livenessProbe, readinessProbe];
};
const secondsOf = ({ periodSeconds, failureThreshold }: Probe): number => periodSeconds * failureThreshold;

describe('the manifests of the page on Kubernetes', () => {
  it('the Deployment selects its pods', () => {
    expect(deployment.spec.template.metadata.labels).toEqual(deployment.spec.selector.matchLabels);
  });

  it('the Job runs in the image and the environment of the app', () => {
    const [job, app] = [containerOf(ofKind('Job')), containerOf(deployment)];
    expect([job.image, job.envFrom]).toEqual([app.image, app.envFrom]);
  });

  it('the probes ask for paths on a port that exists', () => {
    const ports = containerOf(deployment).ports!.map(({ name }) => name);
    for (const { httpGet } of probesOf(deployment)) expect(ports).toContain(httpGet.port);
  });

  it('the startup probe waits longer than the library waits for a lease', () => {
    const { startupProbe } = containerOf(deployment);
    expect(secondsOf(startupProbe)).toBeGreaterThan(timing.acquireTimeoutMs / 1000);
  });

  it('a stopping pod has the time that the library takes', () => {
    const { terminationGracePeriodSeconds } = deployment.spec.template.spec;
    const { seconds } = containerOf(deployment).lifecycle.preStop.sleep;
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(seconds + drainSeconds + 2);
    const [begin, signal, released, , killed] = code.page
      .rowsUnder('Stopping a pod')
      .map(([second]) => Number(second));
    expect([begin, signal, released, killed]).toEqual([
      0,
      seconds,
      seconds + drainSeconds,
      terminationGracePeriodSeconds,
    ]);
  });
});

describe('the options of the page on Kubernetes', () => {
  const before = { ...process.env };
  let makeOptions: () => SnowflakeModuleOptions;

  beforeAll(async () => {
    makeOptions = await code.run('snowflake.options.ts', 'snowflakeOptions');
  });
  beforeEach(() => {
    for (const [, name = '', value] of code.page.text.matchAll(/--from-literal=(\w+)=(\S+)/g)) {
      process.env[name] = value;
    }
  });
  afterAll(() => {
    process.env = before;
  });

  it('make a store with the variables of the Secret', async () => {
    const { store } = makeOptions();
    expect(store?.description).toBe('redis namespace "shop"');
    await store?.close();
  });

  it.each(['REDIS_SENTINELS', 'REDIS_MASTER'])('make no store without %s', (variable) => {
    delete process.env[variable];
    expect(makeOptions).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION' }));
  });
});

describe('the app of the page on Kubernetes, on Redis Sentinel', () => {
  const cleanUp = cleanUpAfterAll();
  let initialized: Awaited<ReturnType<typeof runHere>>;
  let app: HttpApp;
  const initialize = () => runHere(['init', '--options', code.pathOf('snowflake.options.ts'), '--yes']);

  beforeAll(async () => {
    const undelayed = ['--repl-diskless-sync-delay', '0'];
    const master = await startRedis({ args: undelayed });
    cleanUp(() => master.stop());
    const following = ['--replicaof', '127.0.0.1', String(master.port)];
    const replica = await startRedis({ args: [...undelayed, ...following] });
    cleanUp(() => replica.stop());
    const sentinel = await startSentinel(master, { downAfterMs: INITIALIZED_WITHIN_MS });
    cleanUp(() => sentinel.stop());
    for (const { url } of [master, replica]) await grantPrintedRights(url);
    process.env.REDIS_SENTINELS = `127.0.0.1:${sentinel.port}`;
    process.env.REDIS_MASTER = sentinel.masterName;
    process.env.REDIS_PASSWORD = 'password';
    // Fails while no replica follows the master yet.
    initialized = await waitFor('init to succeed', INITIALIZED_WITHIN_MS, async () => {
      const end = await initialize();
      return end.code === 1 ? undefined : end;
    });
    const health = await code.run<Type>('health.controller.ts', 'HealthController');
    type Options = () => SnowflakeModuleOptions;
    const useFactory = await code.run<Options>('snowflake.options.ts', 'snowflakeOptions');
    @Module({
      imports: [SnowflakeModule.forRootAsync({ useFactory }), TerminusModule],
      controllers: [health],
      providers: [SnowflakeHealthIndicator],
    })
    class AppModule {}
    app = await HttpApp.start('Express', AppModule);
    cleanUp(() => app.stop());
  }, 3 * INITIALIZED_WITHIN_MS);

  it('makes IDs without a wait, because the Job has declared the namespace as new', () => {
    expect(initialized).toMatchObject({ code: 0 });
    expect(app.app.get(SnowflakeIdMaker).nextId()).toMatch(/^\d{18,19}$/);
  });

  it('makes the Job end with exit code 3 if the namespace is known', async () => {
    expect(await initialize()).toMatchObject({ code: 3 });
  });

  it('answers all probes', async () => {
    for (const { httpGet } of probesOf(deployment)) {
      expect(await app.get(httpGet.path)).toMatchObject({ status: 200 });
    }
  });
});

testThatAllHaveRun(code);

describe('the settings for pm2', () => {
  const [block] = MarkdownPage.read('docs/guides/deploy.md').blocksIn('js');
  const module = { exports: { apps: [] as readonly Record<string, unknown>[] } };
  new Function('module', 'require', block!.text)(module, createRequire(import.meta.url));
  const [app] = module.exports.apps;

  it('pm2 waits longer than the library does for a lease and at a stop', () => {
    expect(app!.listen_timeout).toBeGreaterThan(timing.acquireTimeoutMs);
    expect(app!.kill_timeout).toBeGreaterThan(drainMs);
    expect(app).toMatchObject({ exec_mode: 'cluster', wait_ready: true });
  });
});
