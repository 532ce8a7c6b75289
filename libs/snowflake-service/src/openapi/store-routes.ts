import { TIMEOUT } from './timeout-parameter.js';
import { oneOfTexts, type Schema } from 'nestjs-snowflake/internal/kit/schema';
import type { Model, Parameter, RouteDescription } from './route-description.js';

/** Names the call. */
const CALL: Parameter = {
  in: 'header',
  name: 'Snowflake-Call',
  description: 'A new name for each call. The response repeats it.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
};

/** Describes the routes to the stores of one option of the service. */
export class StoreRoutes {
  private readonly namespace: Parameter;

  /**
   * @param option the option of the service
   * @param prefix begins the names of the models
   */
  constructor(
    option: string,
    private readonly prefix: string,
  ) {
    this.namespace = {
      in: 'path',
      name: 'namespace',
      description: `A key of the option \`${option}\` of the service.`,
      schema: { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,128}$' },
    };
  }

  /** The replies of a call, by the outcome that tells them apart. */
  outcomes(
    replies: Readonly<Record<string, Model['properties']>>,
    optional: Model['optional'] = [],
  ): Model[] {
    return Object.entries(replies).map(([outcome, fields]) => {
      const words = outcome.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
      const properties = { outcome: oneOfTexts(outcome), ...fields };
      return { name: this.prefix + words.join(''), properties, optional };
    });
  }

  /** A call that changes the store, which the client has to name. */
  change(
    operationId: string,
    summary: string,
    body: Schema,
    response: RouteDescription['response'],
  ): RouteDescription {
    const parameters = [this.namespace, { ...CALL, required: true }, TIMEOUT];
    return { operationId, summary, parameters, body, response };
  }

  reading(operationId: string, summary: string, response: Model): RouteDescription {
    return { operationId, summary, parameters: [this.namespace, CALL, TIMEOUT], response: [response] };
  }
}
