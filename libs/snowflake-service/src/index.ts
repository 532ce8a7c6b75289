/**
 * A Nest module that serves IDs, segments and leases over HTTP.
 *
 * @module
 */
export { bearerTokens, type OpenGrant, type TokenGrant } from './authorization/bearer-tokens.js';
export type { ServiceAuthorization, ServiceCall, ServiceScope } from './authorization/service-call.js';
export { answerInTurn } from './http/answer-in-turn.js';
export { SnowflakeProblemFilter } from './http/problem.filter.js';
export { SnowflakeServiceModule } from './nest/service.module.js';
export type {
  SnowflakeServiceAsyncOptions,
  SnowflakeServiceOptionsFactory,
} from './nest/service.module-definition.js';
export type {
  ServiceTransport,
  SnowflakeServiceExtras,
  SnowflakeServiceOptions,
} from './settings/service-options.js';
