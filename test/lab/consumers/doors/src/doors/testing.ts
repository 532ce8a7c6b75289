import { fakeIdMaker } from 'nestjs-snowflake/testing';
import type { DoorUse } from '../door-use.js';

export const testing: DoorUse = {
  async use() {
    return fakeIdMaker({ start: 1001, mayRepeat: true }).nextIds(2);
  },
};
