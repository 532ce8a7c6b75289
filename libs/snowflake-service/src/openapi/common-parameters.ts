import { integer, type Parameter } from './route-description.js';

/** How long the client waits. */
export const TIMEOUT: Parameter = {
  in: 'header',
  name: 'Snowflake-Timeout-Ms',
  description: 'How long the client waits, in milliseconds.',
  schema: integer(0, 999_999_999),
};

/** Names the call. */
export const CALL: Parameter = {
  in: 'header',
  name: 'Snowflake-Call',
  description: 'A new name for each call. The response repeats it.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
};

/** The namespace of an option of the service. */
export function namespaceOf(option: string): Parameter {
  return {
    in: 'path',
    name: 'namespace',
    description: `A key of the option \`${option}\` of the service.`,
    schema: { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,128}$' },
  };
}
