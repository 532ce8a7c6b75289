import 'reflect-metadata';
import { jest } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { describeRoutes } from '../src/openapi/describe-routes.js';
import type { RouteDescriptions } from '../src/openapi/route-description.js';

const ROUTES: RouteDescriptions = {
  find: {
    operationId: 'findThing',
    summary: 'Finds something',
    parameters: [],
    response: [{ name: 'Found', properties: { id: { type: 'string' } } }],
  },
};

function controllerOfTests(): new () => { find(): object } {
  @Controller('things')
  class ThingsController {
    @Get()
    find(): object {
      return { id: '1' };
    }
  }
  return ThingsController;
}

const keysOf = (controller: new () => { find(): object }): unknown[] => [
  ...Reflect.getMetadataKeys(controller),
  ...Reflect.getMetadataKeys(controller.prototype.find),
];

describe('the description of routes for OpenAPI', () => {
  it('belongs to one controller, not to another one of the same kind', async () => {
    const [described, other] = [controllerOfTests(), controllerOfTests()];
    const before = keysOf(other);
    await describeRoutes([[described, ROUTES]], []);
    expect(keysOf(described).length).toBeGreaterThan(before.length);
    expect(keysOf(other)).toEqual(before);
  });

  it('adds nothing to a controller of an app without @nestjs/swagger', async () => {
    jest.unstable_mockModule('@nestjs/swagger', () => {
      throw new Error("Cannot find package '@nestjs/swagger'");
    });
    jest.resetModules();
    const { describeRoutes: describeWithoutSwagger } = await import('../src/openapi/describe-routes.js');
    const controller = controllerOfTests();
    const before = keysOf(controller);
    await describeWithoutSwagger([[controller, ROUTES]], [controller]);
    expect(keysOf(controller)).toEqual(before);
  });
});
