import { readFileSync } from 'node:fs';
import { apiReport, REPORT } from './api-report.js';

const built = apiReport();

describe('libs/snowflake/api-report.txt', () => {
  it('holds what the built declarations export; if this is meant to change: npm run api-report', () => {
    expect(built).toBe(readFileSync(REPORT, 'utf8'));
  });

  it.each([
    ['a method of a class', /nextId\(\): string;/],
    ['an option of an interface', /windowMs\?: number;/],
    ['an error class', /class InvalidIdError extends /],
    ['a function', /function base62Codec\(/],
    ['a decorator', /function SnowflakeId\(/],
  ])('holds %s, so that a change of it is seen (control)', (_what, signature) => {
    expect(built).toMatch(signature);
  });

  it('holds no comments and no private members', () => {
    expect(built).not.toMatch(/\/\*\*|^ +private (?!constructor)|#\w/m);
  });
});
