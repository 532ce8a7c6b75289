/** Tokens within the module: its checked options, and its controller. */
export const CONSOLE_SETTINGS = Symbol('nestjs-snowflake-console: settings');
export const CONSOLE_CONTROLLER = Symbol('nestjs-snowflake-console: controller');
