import { fileURLToPath } from 'node:url';

/** The definition that the service ships. */
export const PROTO_FILE = fileURLToPath(
  import.meta.resolve('nestjs-snowflake-service/proto/snowflake/v1/snowflake.proto'),
);
