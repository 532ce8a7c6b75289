export * from './errors/input-errors.js';
export * from './errors/issuing-errors.js';
export * from './errors/lease-errors.js';
export * from './errors/setup-errors.js';
export * from './errors/snowflake-error.js';
