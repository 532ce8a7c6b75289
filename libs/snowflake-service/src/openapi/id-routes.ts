import { COUNT, DEFAULT_INSTANCE, IDS_BODY, MOST_AT_ONCE } from '../ids/id-requests.js';
import { integer, list, type Schema, text } from 'nestjs-snowflake/internal/kit/schema';
import type { Model, Parameter, RouteDescriptions } from './route-description.js';

/** A 64-bit ID. A JSON number would round it. */
const ID: Schema = { type: 'string', pattern: '^(0|[1-9][0-9]{0,18})$', example: '382475217496248322' };
const BITS = integer(0, 63);

const instance: Parameter = {
  in: 'query',
  name: 'instance',
  description: 'Name of an ID maker of the app; `default` if it is absent.',
  schema: { type: 'string', default: DEFAULT_INSTANCE },
};

const IDS: Model = {
  name: 'SnowflakeIds',
  properties: { ids: list(ID, { minItems: 1, maxItems: MOST_AT_ONCE, description: 'In ascending order.' }) },
};

const DECODED_ID: Model = {
  name: 'SnowflakeDecodedId',
  properties: {
    id: ID,
    timestamp: { type: 'string', format: 'date-time' },
    timestampMs: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'Unix time in milliseconds.'),
    tick: integer(0, Number.MAX_SAFE_INTEGER, 'Ticks since the epoch.'),
    datacenterId: integer(0, 2 ** 31 - 1),
    workerId: integer(0, 2 ** 31 - 1),
    sequence: integer(0, 2 ** 32 - 1),
  },
  optional: ['datacenterId'],
};

const LAYOUT: Model = {
  name: 'SnowflakeLayout',
  properties: {
    epochMs: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'Unix time in milliseconds.'),
    tickMs: integer(1, Number.MAX_SAFE_INTEGER, 'The unit of the timestamp.'),
    timestampBits: BITS,
    datacenterBits: BITS,
    workerBits: BITS,
    sequenceBits: BITS,
    order: list(
      { type: 'string', enum: ['datacenter', 'worker', 'sequence'] },
      { description: 'The fields below the timestamp, the most significant first.' },
    ),
  },
};

/** Describes the routes of IDs. */
export const ID_ROUTES: RouteDescriptions = {
  make: {
    operationId: 'makeIds',
    summary: 'Generates IDs',
    parameters: [],
    body: IDS_BODY,
    response: [IDS],
  },
  get: {
    operationId: 'getIds',
    summary: 'Generates IDs',
    parameters: [
      { in: 'query', name: 'count', description: 'How many IDs.', schema: { ...COUNT, default: 1 } },
      instance,
    ],
    response: [IDS],
  },
  decode: {
    operationId: 'decodeId',
    summary: 'Decodes an ID',
    parameters: [{ in: 'path', name: 'id', description: 'The ID.', schema: ID }, instance],
    response: [DECODED_ID],
  },
  layout: {
    operationId: 'getLayout',
    summary: 'Shows how the IDs of an instance are composed',
    parameters: [
      { in: 'path', name: 'instance', description: 'Name of an ID maker of the app.', schema: text() },
    ],
    response: [LAYOUT],
  },
};
