import { fakeIdMaker } from 'nestjs-snowflake/testing';
import type { EntryPointUse } from '../entry-point-use.js';

export const testing: EntryPointUse = {
  async use() {
    return fakeIdMaker({ start: 1001, mayRepeat: true }).nextIds(2);
  },
};
