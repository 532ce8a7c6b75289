import fc from 'fast-check';

/** Strings of any UTF-16 code units, lone surrogates included. The `unit: 'binary'` of fast-check takes 0.9 s to set up. */
export const anyText = (maxLength = 10): fc.Arbitrary<string> =>
  fc.string({ unit: fc.nat({ max: 0xff_ff }).map((code) => String.fromCharCode(code)), maxLength });
