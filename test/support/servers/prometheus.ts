import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireBinary } from './binaries.js';
import { onFreePort } from './ports.js';
import { makeDirectory, removeDirectory, ServerProcess } from './server-process.js';

/** What a query finds: one row for each series. */
export type QueryResult = readonly {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [timestamp: number, value: string];
}[];

/** A private Prometheus on 127.0.0.1 that scrapes once a second. */
export interface PrometheusServer {
  /** Returns `data` of its HTTP API. */
  api<Data>(path: string, query?: Record<string, string>): Promise<Data>;
  query(promql: string): Promise<QueryResult>;
  stop(): Promise<void>;
}

/** What Prometheus scrapes: the URLs of the processes, by the name of their job. */
export type ScrapedJobs = Readonly<Record<string, readonly string[]>>;

/** Starts a private Prometheus that scrapes `jobs` and evaluates the rules of `rulesFile`. */
export async function startPrometheus(jobs: ScrapedJobs, rulesFile: string): Promise<PrometheusServer> {
  const binary = requireBinary('prometheus');
  const dir = makeDirectory('prometheus');
  const config = join(dir, 'prometheus.yml');
  writeFileSync(
    config,
    JSON.stringify({
      // A target that takes longer than the timeout counts as down, and the timeout can't be longer than the interval.
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '500ms' },
      rule_files: [rulesFile],
      scrape_configs: Object.entries(jobs).map(([name, urls]) => ({
        job_name: name,
        static_configs: [{ targets: urls.map((url) => new URL(url).host) }],
      })),
    }),
  );
  const { server, url } = await onFreePort(async (port) => {
    const address = `127.0.0.1:${port}`;
    const started = await ServerProcess.start(dir, {
      binary,
      args: [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(dir, 'data')}`,
        `--web.listen-address=${address}`,
      ],
      account: {},
      emergencySignal: 'SIGKILL',
      isUp: () => isReady(`http://${address}`),
    });
    return { server: started, url: `http://${address}` };
  });
  const api = async <Data>(path: string, query: Record<string, string> = {}): Promise<Data> => {
    const response = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(query).toString()}`);
    const body = (await response.json()) as { status: string; error?: string; data: Data };
    if (body.status !== 'success') throw new Error(`${path} ${JSON.stringify(query)}: ${body.error}`);
    return body.data;
  };
  return {
    api,
    query: async (query) => (await api<{ result: QueryResult }>('query', { query })).result,
    stop: async () => {
      await server.end('SIGTERM');
      removeDirectory(dir);
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/-/ready`)).ok;
  } catch {
    return false;
  }
}
