import { TIMEOUT } from './timeout-parameter.js';
import { COUNT, MOST_AT_ONCE } from '../ids/id-requests.js';
import { list } from 'nestjs-snowflake/internal/kit/schema';
import type { Model, RouteDescriptions } from './route-description.js';

const NUMBERS: Model = {
  name: 'SnowflakeNumbers',
  properties: {
    numbers: list(
      { type: 'string', pattern: '^[1-9][0-9]{0,15}$', example: '48212' },
      { minItems: 1, maxItems: MOST_AT_ONCE, description: 'In ascending order.' },
    ),
  },
};

/** Describes the route of segments. */
export const SEGMENT_ROUTES: RouteDescriptions = {
  next: {
    operationId: 'getNumbers',
    summary: 'Issues numbers of a tag',
    parameters: [
      { in: 'path', name: 'tag', description: 'A tag of the app.', schema: { type: 'string' } },
      { in: 'query', name: 'count', description: 'How many numbers.', schema: { ...COUNT, default: 1 } },
      TIMEOUT,
    ],
    response: [NUMBERS],
  },
};
