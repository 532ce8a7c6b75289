/**
 * The tables, for the command line. It is not API and has no semver: any release can change it.
 *
 * @module
 */
export { SEGMENT_TABLES } from './sql/segment-tables.js';
