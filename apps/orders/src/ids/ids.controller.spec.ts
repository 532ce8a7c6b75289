import { fakeIdMaker } from 'nestjs-snowflake/testing';
import { IdsController } from './ids.controller.js';

describe('the controller of IDs', () => {
  it('shows when and by which worker ID an ID was made', () => {
    const ids = fakeIdMaker({ testFile: import.meta.url });
    const id = ids.layout.compose({ tick: 1000, workerId: 17, sequence: 2 }).toString();
    expect(new IdsController(ids).decode(id)).toEqual({
      id,
      timestamp: new Date('2024-01-01T00:00:01Z'),
      timestampMs: Date.parse('2024-01-01T00:00:01Z'),
      workerId: 17,
      sequence: 2,
    });
  });
});
