import * as core from '@mikro-orm/core';
import { snowflakeProperties } from 'nestjs-snowflake/mikro-orm';
import { LateIdMaker } from 'nestjs-snowflake/standalone';

export const ids = new LateIdMaker();
export const { snowflakeKey, snowflakeReference } = snowflakeProperties(core, ids);
