/** Token within the module: its checked options. */
export const SERVICE_SETTINGS = Symbol('nestjs-snowflake-service: settings');
