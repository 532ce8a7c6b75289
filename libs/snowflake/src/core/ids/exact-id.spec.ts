import { InvalidIdError } from '../errors/input-errors.js';
import { exactId } from './exact-id.js';

describe('the text of an ID in a column', () => {
  it.each(['382475217496248323', 382475217496248323n, 7, 0, 2 ** 53 - 1])(
    'keeps all digits of %p',
    (value) => {
      expect(exactId(value)).toBe(String(value));
    },
  );

  it.each([2 ** 53, 382475217496248320, 1.5, -1, NaN, -1n, '', '1e3', '9223372036854775808', {}, true])(
    'is refused for %p, which is not an ID or may have been rounded',
    (value) => {
      expect(() => exactId(value as never)).toThrow(InvalidIdError);
    },
  );
});
