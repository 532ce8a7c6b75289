import { UnboundMakerError } from '../core/errors/setup-errors.js';
import { fakeIdMaker } from '../testing/fake-id-maker.js';
import { LateIdMaker } from './late-id-maker.js';

describe('an ID maker that is bound late', () => {
  it('makes the IDs of the latest one, also by functions that were passed on before', () => {
    const ids = new LateIdMaker();
    const { nextId, nextBigInt } = ids;
    expect(nextId).toThrow(UnboundMakerError);
    ids.bind(fakeIdMaker({ start: 1001 }));
    expect([nextId(), nextBigInt()]).toEqual(['1001', 1002n]);
    ids.bind(fakeIdMaker({ start: 2001 }));
    expect(ids.nextId()).toBe('2001');
  });

  it.each([undefined, null, {}, { nextId: () => '1' }])('refuses to be bound to %p', (ids) => {
    expect(() => new LateIdMaker().bind(ids as never)).toThrow(expect.objectContaining({ option: 'ids' }));
  });
});
