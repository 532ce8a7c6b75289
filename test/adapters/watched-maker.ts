import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake';

interface WatchedMaker {
  readonly ids: SnowflakeIdMaker;
  /** How many listeners it has now. */
  listeners(): number;
  /** How often its status was read. */
  reads(): number;
  stop(): Promise<void>;
}

/** Starts a maker that counts its listeners and readers. */
export async function watchedMaker(workerId = 7): Promise<WatchedMaker> {
  const maker = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId }) });
  await maker.start();
  let listeners = 0;
  let reads = 0;
  const watched: Pick<SnowflakeIdMaker, 'subscribe' | 'status'> = {
    subscribe(listener) {
      const unsubscribe = maker.subscribe(listener);
      listeners += 1;
      return () => {
        listeners -= 1;
        unsubscribe();
      };
    },
    status() {
      reads += 1;
      return maker.status();
    },
  };
  const ids = new Proxy(maker, {
    get: (target, name) => {
      if (name in watched) return Reflect.get(watched, name) as unknown;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  return { ids, listeners: () => listeners, reads: () => reads, stop: () => maker.stop() };
}
