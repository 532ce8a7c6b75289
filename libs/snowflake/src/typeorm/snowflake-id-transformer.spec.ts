import { InvalidIdError } from '../core/index.js';
import { GeneratedIdTransformer, SnowflakeIdTransformer } from './snowflake-id-transformer.js';

const operand = (): void => undefined;
const buffer = Buffer.from('x');

describe.each([
  ['a column that holds IDs', new SnowflakeIdTransformer()],
  ['a column whose IDs are made', new GeneratedIdTransformer('default', 'Order.id')],
])('the transformer of %s', (_, transformer) => {
  it.each([
    ['1800000000000000001', '1800000000000000001'],
    [1_800_000_000_000_000_001n, '1800000000000000001'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [0, '0'],
    [null, null],
    [undefined, undefined],
    ['18%', '18%'],
    [
      [1n, '2', 3],
      ['1', '2', '3'],
    ],
    [operand, operand],
    [buffer, buffer],
  ])('writes %p as %p', (value, written) => {
    expect(transformer.to(value)).toEqual(written);
  });

  it.each([2 ** 53, -(2 ** 53), 1.8e18, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses to write %p',
    (value) => {
      expect(() => transformer.to(value)).toThrow(InvalidIdError);
      expect(() => transformer.to([value])).toThrow(InvalidIdError);
    },
  );

  it.each([
    ['1800000000000000001', '1800000000000000001'],
    [1_800_000_000_000_000_001n, '1800000000000000001'],
    [42, '42'],
    [null, null],
    [undefined, undefined],
  ])('reads %p as %p', (stored, value) => {
    expect(transformer.from(stored)).toBe(value);
  });
});
