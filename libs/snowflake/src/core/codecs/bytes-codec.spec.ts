import { bytesCodec } from './index.js';

describe('the bytes codec', () => {
  it('writes the most significant byte first, and reads a view of a larger buffer', () => {
    expect([...bytesCodec().encode(0x0102030405060708n)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const packet = Buffer.from([9, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(bytesCodec().decodeBigInt(packet.subarray(2, 10))).toBe(0x0102030405060708n);
  });

  it.each([
    [Buffer.alloc(7), 'has 7 bytes'],
    [Buffer.alloc(9), 'has 9 bytes'],
    [Buffer.alloc(0), 'has 0 bytes'],
    [Buffer.from('8000000000000000', 'hex'), 'exceeds 63 bits'],
    [[1, 2, 3, 4, 5, 6, 7, 8] as unknown as Uint8Array, 'is not a Uint8Array'],
  ])('refuses the bytes %p', (bytes, problem) => {
    expect(() => bytesCodec().decode(bytes)).toThrow(problem);
  });
});
