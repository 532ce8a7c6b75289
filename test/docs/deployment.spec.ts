import 'reflect-metadata';
import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createRequire } from 'node:module';
import { load } from 'js-yaml';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { leaseTiming } from '../../libs/snowflake/src/lease/lease-timing.js';
import { DRAIN_TIMEOUT_MS } from '../../libs/snowflake/src/kit/nest/bounded-drain.js';
import { MarkdownPage } from './markdown.js';
import { PageCode } from './page-code.js';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

interface Container {
  readonly ports?: readonly { readonly name: string }[];
  readonly env: readonly { readonly name: string; readonly valueFrom: object }[];
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
const [deployment, statefulSet] = code.page.blocksIn('yaml').map(({ text }) => load(text) as Workload);
const timing = leaseTiming({}, 1, 'wait');
const drainMs = DRAIN_TIMEOUT_MS.check('drainTimeoutMs', undefined);
const drainSeconds = drainMs / 1000;

const containerOf = (workload: Workload): Container => workload.spec.template.spec.containers[0]!;
const secondsOf = ({ periodSeconds, failureThreshold }: Probe): number => periodSeconds * failureThreshold;

afterAll(() => code.remove());

describe('the manifests of the page on Kubernetes', () => {
  it.each([
    ['Deployment', deployment!],
    ['StatefulSet', statefulSet!],
  ])('the %s selects its pods', (kind, workload) => {
    expect(workload.kind).toBe(kind);
    expect(workload.spec.template.metadata.labels).toEqual(workload.spec.selector.matchLabels);
  });

  it('the probes ask paths that the page serves, on a port that exists', () => {
    const { ports, startupProbe, livenessProbe, readinessProbe } = containerOf(deployment!);
    const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet);
    expect(paths.map(({ path }) => path)).toEqual(['/live', '/live', '/health']);
    for (const { port } of paths) expect(ports!.map(({ name }) => name)).toContain(port);
  });

  it('the startup probe waits longer than the library waits for a lease', () => {
    const { startupProbe } = containerOf(deployment!);
    expect(secondsOf(startupProbe)).toBeGreaterThan(timing.acquireTimeoutMs / 1000);
  });

  it('a stopping pod has the time that the library takes', () => {
    const { terminationGracePeriodSeconds } = deployment!.spec.template.spec;
    const { seconds } = containerOf(deployment!).lifecycle.preStop.sleep;
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(seconds + drainSeconds + 2);
    const [table] = code.page.tablesUnder('Stopping a pod');
    const [begin, signal, released, , killed] = table!.rows.map(([second]) => Number(second));
    expect([begin, signal, released, killed]).toEqual([
      0,
      seconds,
      seconds + drainSeconds,
      terminationGracePeriodSeconds,
    ]);
  });
});

describe('the code of the page on Kubernetes', () => {
  it('answers the liveness probe without a lease store', async () => {
    const LiveController = await code.run<Type>('live.controller.ts', 'LiveController');
    @Module({ controllers: [LiveController] })
    class Root {}
    const app = await NestFactory.create(Root, { logger: false });
    await app.listen(0, '127.0.0.1');
    try {
      const { path } = containerOf(deployment!).livenessProbe.httpGet;
      expect(await fetch(`${await app.getUrl()}${path}`)).toMatchObject({ status: 200 });
    } finally {
      await app.close();
    }
  });

  it('takes the worker ID from the ordinal of the pod', async () => {
    const [variable] = containerOf(statefulSet!).env;
    process.env.KUBERNETES_SERVICE_HOST = '10.0.0.1';
    process.env[variable!.name] = '5';
    const module = await code.run<Type>('ids.module.ts', 'IdsModule');
    const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    try {
      const ids = app.get(SnowflakeIdMaker);
      expect(ids.decode(ids.nextId()).workerId).toBe(5);
    } finally {
      await app.close();
      delete process.env.KUBERNETES_SERVICE_HOST;
      delete process.env[variable!.name];
    }
    expect(code.notRun()).toEqual([]);
  });
});

describe('the settings for pm2', () => {
  interface Ecosystem {
    readonly apps: readonly Record<string, unknown>[];
  }
  const [block] = MarkdownPage.read('docs/guides/pm2-and-cluster.md').blocksIn('js');
  const module = { exports: {} as Ecosystem };
  new Function('module', 'require', block!.text)(module, createRequire(import.meta.url));
  const [app] = module.exports.apps;

  it('pm2 waits longer than the library does for a lease and at a stop', () => {
    expect(app!.listen_timeout).toBeGreaterThan(timing.acquireTimeoutMs);
    expect(app!.kill_timeout).toBeGreaterThan(drainMs);
    expect(app).toMatchObject({ exec_mode: 'cluster', wait_ready: true });
  });
});
