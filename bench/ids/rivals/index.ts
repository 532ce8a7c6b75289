import { akashrajpurohit } from './akashrajpurohit.js';
import { flakeIdgen } from './flake-idgen.js';
import { nodejsSnowflake } from './nodejs-snowflake.js';
import { ourBatches, ourGenerator, ourMaker } from './ours.js';
import { randomIds } from './random-ids.js';
import type { Rival } from './rival.js';
import { sapphire } from './sapphire.js';
import { skorotkiewicz } from './skorotkiewicz.js';
import { snowflakeUuid } from './snowflake-uuid.js';
import { snowflakify } from './snowflakify.js';
import { snowyflake } from './snowyflake.js';
import { tsidTs } from './tsid-ts.js';

/** This library, in the three ways it is called. */
export const ours: readonly Rival[] = [ourGenerator, ourMaker, ourBatches];

/** All that are measured, in the order of the tables. */
export const rivals: readonly Rival[] = [
  ...ours,
  sapphire,
  nodejsSnowflake,
  flakeIdgen,
  snowflakify,
  snowflakeUuid,
  snowyflake,
  skorotkiewicz,
  akashrajpurohit,
  tsidTs,
  ...randomIds,
];
