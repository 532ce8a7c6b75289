import { integer } from 'nestjs-snowflake/internal/kit/schema';
import type { Parameter } from './route-description.js';

/** How long the client waits. */
export const TIMEOUT: Parameter = {
  in: 'header',
  name: 'Snowflake-Timeout-Ms',
  description: 'How long the client waits, in milliseconds.',
  schema: integer(0, 999_999_999),
};
