/** The process whose CPU time is measured: the service and its rivals, each on a port and with a worker ID of its own. */
import 'reflect-metadata';
import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake';
import type { Endpoint } from '../endpoints.js';
import { answerCpuQuestions } from './cpu-answers.js';
import { openNestGuardedRoute, openNestRoute } from './nest-routes.js';
import { openFastify, openGrpcJs, openNodeHttp } from './plain-servers.js';
import { openServiceOnExpress, openServiceOnFastify, openServiceOverGrpc } from './service-apps.js';

export interface IdServerReady {
  readonly urls: Readonly<Record<Endpoint, string>>;
}

async function makerOf(workerId: number): Promise<SnowflakeIdMaker> {
  const maker = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId }) });
  await maker.start();
  return maker;
}

const urls = {
  nodeHttp: await openNodeHttp(await makerOf(1)),
  fastify: await openFastify(await makerOf(2)),
  nestRoute: await openNestRoute(await makerOf(3)),
  nestGuardedRoute: await openNestGuardedRoute(await makerOf(4)),
  serviceOnFastify: await openServiceOnFastify(5),
  serviceOnExpress: await openServiceOnExpress(6),
  grpcJs: await openGrpcJs(await makerOf(7)),
  serviceOverGrpc: await openServiceOverGrpc(8),
};
answerCpuQuestions();
process.send?.({ urls } satisfies IdServerReady);
