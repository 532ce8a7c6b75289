/** A process whose CPU time is measured: the service, or one of its rivals. */
import 'reflect-metadata';
import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake';
import { type Endpoint, ENDPOINTS } from '../endpoints.js';
import { answerCpuQuestions } from './cpu-answers.js';
import { listenOnExpress, listenOnFastify, listenWithGrpc } from './nest-apps.js';
import { guardedRouteApp, routeApp } from './nest-routes.js';
import { openFastify, openGrpcJs, openNodeHttp } from './plain-servers.js';
import { serviceApp } from './service-app.js';

export interface IdServerReady {
  readonly url: string;
}

/** Each server has a worker ID of its own. */
const OPENED: Readonly<Record<Endpoint, (workerId: number) => Promise<string>>> = {
  nodeHttp: async (workerId) => openNodeHttp(await makerOf(workerId)),
  fastify: async (workerId) => openFastify(await makerOf(workerId)),
  nestRoute: async (workerId) => listenOnFastify(routeApp(await makerOf(workerId))),
  nestGuardedRoute: async (workerId) => listenOnFastify(guardedRouteApp(await makerOf(workerId))),
  nestGuardedRouteOnExpress: async (workerId) => listenOnExpress(guardedRouteApp(await makerOf(workerId))),
  serviceOnFastify: (workerId) => listenOnFastify(serviceApp(workerId)),
  serviceOnExpress: (workerId) => listenOnExpress(serviceApp(workerId)),
  grpcJs: async (workerId) => openGrpcJs(await makerOf(workerId)),
  serviceOverGrpc: (workerId) => listenWithGrpc(serviceApp(workerId)),
};

async function makerOf(workerId: number): Promise<SnowflakeIdMaker> {
  const maker = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId }) });
  await maker.start();
  return maker;
}

const endpoint = process.argv[2] as Endpoint;
const url = await OPENED[endpoint](ENDPOINTS.indexOf(endpoint));
answerCpuQuestions();
process.send?.({ url } satisfies IdServerReady);
