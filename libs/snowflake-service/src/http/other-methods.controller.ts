import {
  Controller,
  RequestMapping,
  RequestMethod,
  type Type,
  UseFilters,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { RequestRefusal } from '../requests/request-refusal.js';
import { SnowflakeProblemFilter } from './problem.filter.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

/** The methods of each route of the service. */
const ROUTES: Readonly<Record<string, readonly Method[]>> = {
  ids: ['GET', 'POST'],
  'ids/:id': ['GET'],
  'layouts/:instance': ['GET'],
  'segments/:tag': ['GET'],
  'leases/:namespace': ['GET', 'POST'],
  'leases/:namespace/release': ['POST'],
  'leases/:namespace/backfill': ['POST'],
  'claims/:namespace': ['GET', 'POST'],
  'claims/:namespace/return': ['POST'],
  'claims/:namespace/tags': ['POST'],
  'claims/:namespace/resume': ['POST'],
};

/** Creates the controller that refuses all other methods of these routes, for which Nest would say that there is no such route. */
export function otherMethodsController(path: string): Type<object> {
  @Controller({ path, version: VERSION_NEUTRAL })
  @UseFilters(SnowflakeProblemFilter)
  class SnowflakeOtherMethodsController {}
  for (const [route, allowed] of Object.entries(ROUTES)) {
    for (const method of METHODS) {
      if (!allowed.includes(method))
        addRefusal(SnowflakeOtherMethodsController.prototype, route, method, allowed);
    }
  }
  return SnowflakeOtherMethodsController;
}

function addRefusal(prototype: object, route: string, method: Method, allowed: readonly Method[]): void {
  const refuse = (): never => {
    const headers = { Allow: allowed.map((each) => (each === 'GET' ? 'GET, HEAD' : each)).join(', ') };
    const detail = `This route does not support ${method}. Use ${allowed.join(' or ')}.`;
    throw new RequestRefusal(405, 'SNOWFLAKE_METHOD_NOT_ALLOWED', detail, headers);
  };
  const descriptor = { value: refuse, configurable: true, writable: true };
  const name = `${method} ${route}`;
  Object.defineProperty(prototype, name, descriptor);
  RequestMapping({ path: route, method: RequestMethod[method] })(prototype, name, descriptor);
}
