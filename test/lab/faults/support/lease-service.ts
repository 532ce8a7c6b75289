import { spawnChild, type TestChild } from '../../../support/child.js';
import { freePort } from '../../../support/servers/index.js';
import type { StoreOptions } from './issuer-job.js';
import { SERVICE_TOKEN, type ServiceJob } from './service-job.js';

const isListening = (message: unknown): message is { listening: true } =>
  Object.hasOwn(Object(message) as object, 'listening');

/** A process with an app that leases the worker IDs of one store to others. */
export class LeaseService {
  private constructor(
    private job: ServiceJob,
    private child: TestChild,
  ) {}

  static async start(store: StoreOptions): Promise<LeaseService> {
    const job = { store, port: await freePort(), token: SERVICE_TOKEN };
    return new LeaseService(job, await startChild(job));
  }

  get port(): number {
    return this.job.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** SIGSTOP. */
  pause(): void {
    this.child.pause();
  }

  /** SIGCONT. */
  resume(): void {
    this.child.resume();
  }

  /** SIGKILL. Harmless when it has ended. */
  async kill(): Promise<void> {
    await this.child.kill();
  }

  /** Starts it again after {@link kill}, at the same address. @param store options that are changed */
  async restart(store: Partial<StoreOptions> = {}): Promise<void> {
    this.job = { ...this.job, store: { ...this.job.store, ...store } };
    this.child = await startChild(this.job);
  }
}

async function startChild(job: ServiceJob): Promise<TestChild> {
  const child = spawnChild(new URL('../children/service.ts', import.meta.url), {
    args: [JSON.stringify(job)],
  });
  await child.next(isListening);
  return child;
}
