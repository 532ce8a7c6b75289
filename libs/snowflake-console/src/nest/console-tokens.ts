/** Tokens within the module: its raw and its checked options, and its controller. */
export const CONSOLE_OPTIONS = Symbol('nestjs-snowflake-console: options');
export const CONSOLE_SETTINGS = Symbol('nestjs-snowflake-console: settings');
export const CONSOLE_CONTROLLER = Symbol('nestjs-snowflake-console: controller');
