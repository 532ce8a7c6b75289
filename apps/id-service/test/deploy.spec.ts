import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { load, loadAll } from 'js-yaml';
import { ROOT } from '../../../test/docs/markdown.js';
import { freePort } from '../../../test/support/servers/index.js';
import { describedVariables } from '../../shared/src/environment/variables.js';
import { Environment, readEnvironment } from '../src/config/environment.js';
import { startedApp } from '../../shared/test/support/started-app.js';
import { ask, ServiceFolder, ServiceProcess } from './support/service-process.js';

const FOLDER = 'apps/id-service/deploy';
const NAMES = describedVariables(Environment).map(({ name }) => name);
const DEFAULTS = readEnvironment({});

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
  readonly volumeMounts: readonly { readonly mountPath: string }[];
  readonly securityContext: object;
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
}

interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly ports?: readonly { readonly targetPort: string }[];
    readonly ingress?: readonly { readonly ports: readonly { readonly port: string }[] }[];
    readonly replicas?: number;
    readonly selector?: { readonly app?: string; readonly matchLabels?: object };
    readonly podSelector?: { readonly matchLabels: object };
    readonly template?: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: object;
        readonly containers: readonly [Container];
      };
    };
  };
}

interface Compose {
  readonly services: {
    readonly ids: {
      readonly build: { readonly context: string; readonly dockerfile: string };
      readonly environment: Readonly<Record<string, string>>;
      readonly volumes: readonly string[];
      readonly ports: readonly string[];
      readonly read_only: boolean;
      readonly stop_grace_period: string;
      readonly depends_on: object;
    };
  };
}

const folder = new ServiceFolder();

afterAll(() => folder.remove());
const service = startedApp(() => ServiceProcess.spawn(folder.env()));

const read = (file: string): string => readFileSync(join(ROOT, FOLDER, file), 'utf8');

describe('the Kubernetes manifests of the ID service', () => {
  const manifests = loadAll(read('kubernetes.yaml')) as Manifest[];
  const { spec } = manifests.find(({ kind }) => kind === 'Deployment')!;
  const pod = spec.template!.spec;
  const [container] = pod.containers;

  it('the manifests set only variables that the service reads, to values that it accepts', () => {
    for (const { name } of container.env) expect(NAMES).toContain(name);
    const values = container.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
    const environment = readEnvironment(Object.fromEntries(values) as Record<string, string>);
    expect(container.volumeMounts.map(({ mountPath }) => `${mountPath}/tokens.json`)).toContain(
      environment.TOKENS_FILE,
    );
  });

  it('the manifests run two pods without any privilege, and all of them select these pods', () => {
    expect(spec.replicas).toBe(2);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(container.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      'Deployment',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ]);
    for (const { spec: other } of manifests) {
      const selected = other.podSelector?.matchLabels ?? other.selector?.matchLabels ?? other.selector;
      expect(selected).toEqual(spec.template!.metadata.labels);
    }
  });

  it('a pod has more time to stop than the service takes at most', () => {
    const takenMs = container.lifecycle.preStop.sleep.seconds * 1_000 + DEFAULTS.SHUTDOWN_GRACE_MS;
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(takenMs);
  });

  it('the probes use paths and a port that the service has', async () => {
    const { startupProbe, livenessProbe, readinessProbe, ports } = container;
    const { value: grpcPort } = container.env.find(({ name }) => name === 'GRPC_PORT')!;
    expect(ports).toEqual([
      { name: 'http', containerPort: DEFAULTS.PORT },
      { name: 'grpc', containerPort: Number(grpcPort) },
    ]);
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
      expect(httpGet.port).toBe('http');
      expect((await ask(`${service().url}${httpGet.path}`, undefined)).status).toBe(200);
    }
  });
});

describe('the network of the Kubernetes manifests', () => {
  it('reaches every port of a pod, and no others', () => {
    const manifests = loadAll(read('kubernetes.yaml')) as Manifest[];
    const specOf = (wanted: string): Manifest['spec'] => manifests.find(({ kind }) => kind === wanted)!.spec;
    const names = specOf('Deployment').template!.spec.containers[0].ports.map(({ name }) => name);
    expect(specOf('Service').ports!.map(({ targetPort }) => targetPort)).toEqual(names);
    expect(specOf('NetworkPolicy').ingress![0]!.ports.map(({ port }) => port)).toEqual(names);
  });
});

describe('the Compose file of the ID service', () => {
  const { services } = load(read('compose.yaml')) as Compose;
  const { ids } = services;

  it('the Compose file sets only variables that the service reads, to values that it accepts', () => {
    for (const name of Object.keys(ids.environment)) expect(NAMES).toContain(name);
    expect(() => readEnvironment(ids.environment)).not.toThrow();
    const folders = ids.volumes.map((volume) => volume.split(':')[1]);
    expect(folders).toContain(dirname(ids.environment['TOKENS_FILE'] ?? ''));
    for (const name of Object.keys(ids.depends_on)) expect(services).toHaveProperty(name);
  });

  it('the Compose file builds the image of the repository, with a file system that is read-only', () => {
    const context = join(ROOT, FOLDER, ids.build.context);
    expect(existsSync(join(context, ids.build.dockerfile))).toBe(true);
    expect(ids.read_only).toBe(true);
    expect(ids.ports.map((port) => port.split(':').at(-1))).toEqual([
      String(DEFAULTS.PORT),
      ids.environment['GRPC_PORT'],
    ]);
    expect(Number.parseInt(ids.stop_grace_period, 10) * 1_000).toBeGreaterThan(DEFAULTS.SHUTDOWN_GRACE_MS);
  });
});

describe('the Dockerfile of the ID service', () => {
  const text = read('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ');
  const instructions = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^(\w+) +(.*)$/.exec(line) ?? [];
      return { name, rest };
    });
  const allOf = (wanted: string): string[] =>
    instructions.flatMap(({ name, rest }) => (name === wanted ? [rest] : []));

  it('the Dockerfile runs scripts that exist, and copies what they make', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const run = allOf('RUN').flatMap((command) => /^npm run (\S+)/.exec(command)?.[1] ?? []);
    expect(run.length).toBeGreaterThan(0);
    for (const script of run) expect(scripts).toHaveProperty(script);
    for (const copied of allOf('COPY')) {
      const [, from = ''] = /^--from=build \/app\/(\S+) \S+$/.exec(copied) ?? [undefined, '.'];
      expect([from, existsSync(join(ROOT, from))]).toEqual([from, true]);
    }
  });

  it('the Dockerfile starts what the build has made, as a user without rights and with variables that the service reads', () => {
    const [, main = ''] = JSON.parse(allOf('CMD').at(-1)!) as string[];
    expect(existsSync(join(ROOT, main))).toBe(true);
    expect(allOf('USER').at(-1)).toBe('node');
    for (const variable of allOf('ENV')) expect(NAMES).toContain(variable.split('=')[0]);
    expect(allOf('EXPOSE')).toEqual([String(DEFAULTS.PORT)]);
  });

  it('the health check of the Dockerfile follows the PORT of the service, and fails if nothing listens there', async () => {
    const [, command = ''] = /\bCMD (\[.*\])/.exec(allOf('HEALTHCHECK')[0]!) ?? [];
    const [program = '', ...args] = JSON.parse(command) as string[];
    const check = (port: string): Promise<boolean> =>
      promisify(execFile)(program, args, { env: { ...process.env, PORT: port } }).then(
        () => true,
        () => false,
      );
    expect(await check(new URL(service().url).port)).toBe(true);
    expect(await check(String(await freePort()))).toBe(false);
  });
});
