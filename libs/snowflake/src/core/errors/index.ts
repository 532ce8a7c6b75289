export * from './input-errors.js';
export * from './issuing-errors.js';
export * from './lease-errors.js';
export * from './segment-errors.js';
export * from './series-errors.js';
export * from './setup-errors.js';
export * from './snowflake-error.js';
