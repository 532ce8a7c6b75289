/** The process whose CPU time is measured: the service and its rivals, each on a port and with a worker ID of its own. */
import 'reflect-metadata';
import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake';
import type { Endpoint } from '../endpoints.js';
import { answerCpuQuestions } from './cpu-answers.js';
import { listenOnExpress, listenOnFastify, listenWithGrpc } from './nest-apps.js';
import { guardedRouteApp, routeApp } from './nest-routes.js';
import { openFastify, openGrpcJs, openNodeHttp } from './plain-servers.js';
import { serviceApp } from './service-app.js';

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
  nestRoute: await listenOnFastify(routeApp(await makerOf(3))),
  nestGuardedRoute: await listenOnFastify(guardedRouteApp(await makerOf(4))),
  nestGuardedRouteOnExpress: await listenOnExpress(guardedRouteApp(await makerOf(5))),
  serviceOnFastify: await listenOnFastify(serviceApp(6)),
  serviceOnExpress: await listenOnExpress(serviceApp(7)),
  grpcJs: await openGrpcJs(await makerOf(8)),
  serviceOverGrpc: await listenWithGrpc(serviceApp(9)),
};
answerCpuQuestions();
process.send?.({ urls } satisfies IdServerReady);
