import everything from '../../vitest.config.mjs';
import { sharedWorkers } from './shared-workers.mjs';

/** Specs about what a package keeps for a whole process. Each of them has a worker of its own. */
const ALONE = [
  // The entities of autoLoadEntities, and the types of GraphQL.
  'test/docs/{getting-started,graphql,public-ids,typeorm}.spec.ts',
  // The meter of OpenTelemetry, the registry of prom-client, the logger of nestjs-pino.
  'libs/snowflake-service/test/{disclosure,observability,grpc-observability}.spec.ts',
  'test/adapters/{opentelemetry,outage,prometheus}.spec.ts',
  'test/docs/{metrics,monitoring}.spec.ts',
  'test/nest/logs.spec.ts',
  'test/operations/prometheus.spec.ts',
];

const { test, ...config } = everything;
// These belong to the whole run. A project that had the set-up would set up everything once more.
const { globalSetup, reporters, silent, maxWorkers: _fewer, ...common } = test;
const exclude = [...test.exclude, 'test/lab/**'];

const alone = { ...common, name: 'alone', include: ALONE, exclude };
const others = { ...common, ...sharedWorkers, name: 'shared', exclude: [...exclude, ...ALONE] };

/** `npm test`: what every change must pass, which is everything but the lab. */
export default {
  ...config,
  test: {
    globalSetup,
    reporters,
    silent,
    // They wait for servers and clocks as much as they compute.
    maxWorkers: 3,
    projects: [alone, others].map((project) => ({ ...config, test: project })),
  },
};
