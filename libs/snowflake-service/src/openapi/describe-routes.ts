import type { Type } from '@nestjs/common';
import { BODY_PROBLEM_RESPONSES, PROBLEM, PROBLEM_RESPONSES } from './problem-responses.js';
import type { Schema } from 'nestjs-snowflake/internal/kit/schema';
import type { Model, Parameter, RouteDescription, RouteDescriptions } from './route-description.js';

type Swagger = typeof import('@nestjs/swagger');

/**
 * Adds what the OpenAPI document of the app shows of controllers, if the app has @nestjs/swagger.
 *
 * @param hidden controllers that the document leaves out
 */
export async function describeRoutes(
  described: readonly (readonly [controller: Type<object>, routes: RouteDescriptions])[],
  hidden: readonly Type<object>[],
): Promise<void> {
  const swagger = await swaggerOfApp();
  if (!swagger) return;
  for (const [controller, routes] of described) describe(controller, routes, swagger);
  for (const controller of hidden) swagger.ApiExcludeController()(controller);
}

function describe(controller: Type<object>, routes: RouteDescriptions, swagger: Swagger): void {
  const responses = Object.values(routes).flatMap(({ response }) => response);
  const models = [PROBLEM, ...new Set(responses)].map((model) => classOf(model, swagger));
  for (const decorate of [
    swagger.ApiTags('Snowflake'),
    swagger.ApiBearerAuth(),
    swagger.ApiExtraModels(...models),
  ]) {
    decorate(controller);
  }
  const prototype = controller.prototype as object;
  for (const [method, route] of Object.entries(routes)) {
    const descriptor = { value: Reflect.get(prototype, method) as unknown };
    for (const decorate of decoratorsOf(route, swagger)) decorate(prototype, method, descriptor);
  }
}

async function swaggerOfApp(): Promise<Swagger | undefined> {
  try {
    return await import('@nestjs/swagger');
  } catch {
    return undefined;
  }
}

function decoratorsOf(route: RouteDescription, swagger: Swagger): readonly MethodDecorator[] {
  const { operationId, summary, parameters, body } = route;
  const statuses = { ...PROBLEM_RESPONSES, ...(body && BODY_PROBLEM_RESPONSES) };
  const problems = Object.entries(statuses).map(([status, response]) =>
    swagger.ApiResponse({
      ...response,
      status: Number(status),
      content: { 'application/problem+json': { schema: referenceTo(PROBLEM) } },
    } as Parameters<Swagger['ApiResponse']>[0]),
  );
  return [
    swagger.ApiOperation({ operationId, summary }),
    ...parameters.map((parameter) => parameterOf(parameter, swagger)),
    ...(body ? [swagger.ApiBody({ schema: body as object, required: true })] : []),
    swagger.ApiResponse({ status: 200, description: summary, schema: schemaOf(route) as object }),
    ...problems,
  ];
}

function parameterOf(
  { in: place, required = false, ...parameter }: Parameter,
  swagger: Swagger,
): MethodDecorator {
  const schema = parameter.schema as object;
  switch (place) {
    case 'header':
      return swagger.ApiHeader({ ...parameter, schema, required });
    case 'path':
      return swagger.ApiParam({ ...parameter, schema });
    case 'query':
      return swagger.ApiQuery({ ...parameter, schema, required });
  }
}

const referenceTo = ({ name }: Model): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });

function schemaOf({ response }: RouteDescription): Schema {
  const [first = {}, ...others] = response.map(referenceTo);
  if (others.length === 0) return first;
  const mapping = response.map((model) => [outcomeOf(model), referenceTo(model).$ref] as const);
  return {
    oneOf: response.map(referenceTo),
    discriminator: { propertyName: 'outcome', mapping: Object.fromEntries(mapping) },
  };
}

function outcomeOf({ properties }: Model): string {
  const { enum: values } = properties['outcome'] as { readonly enum: readonly [string] };
  return values[0];
}

/** @nestjs/swagger makes named schemas of classes. */
function classOf({ name, properties, optional = [] }: Model, swagger: Swagger): Type<object> {
  class Described {
    readonly schema = name;
  }
  swagger.ApiSchema({ name })(Described);
  for (const [property, schema] of Object.entries(properties)) {
    const options = { ...schema, required: !optional.includes(property) } as object;
    swagger.ApiProperty(options)(Described.prototype, property);
  }
  return Described;
}
