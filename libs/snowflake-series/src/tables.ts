/**
 * The tables, for the command line. It is not API and has no semver: any release can change it.
 *
 * @module
 */
export { SERIES_TABLES } from './database/series-tables.js';
