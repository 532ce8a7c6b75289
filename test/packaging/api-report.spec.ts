import { readFileSync } from 'node:fs';
import { apiReport, CONSOLE, doorsOfManifest, LIBRARY, readDoors, reportFile } from './api-report.js';

/** They steer the compiler. Nobody has a reason to name them. */
const NOT_FOR_USERS = ['Refusal', 'StopsByUsing'];

describe.each([LIBRARY, CONSOLE])('api-report.txt of $name', (published) => {
  it('holds what the built declarations export; if this is meant to change: npm run api-report', () => {
    expect(apiReport(published)).toBe(readFileSync(reportFile(published), 'utf8'));
  });
});

describe('the console', () => {
  const doors = doorsOfManifest(CONSOLE);

  it('names no type that no door of the two packages exports', () => {
    expect(readDoors([...doorsOfManifest(LIBRARY), ...doors]).hidden).toEqual(NOT_FOR_USERS);
  });

  it('would name the types of the library, if that had no doors (control)', () => {
    expect(readDoors(doors).hidden).toContain('RegistrySnapshot');
  });
});

describe('the library', () => {
  const doors = doorsOfManifest(LIBRARY);
  const { report: built, hidden } = readDoors(doors);

  it.each([
    ['a method of a class', /nextId\(\): string;/],
    ['an option of an interface', /windowMs\?: number;/],
    ['an error class', /class InvalidIdError extends /],
    ['a function', /function base62Codec\(/],
    ['a decorator', /function SnowflakeId\(/],
  ])('holds %s, so that a change of it is seen (control)', (_what, signature) => {
    expect(built).toMatch(signature);
  });

  it('names no type that none of the doors exports', () => {
    expect(hidden).toEqual(NOT_FOR_USERS);
  });

  it('would name types that no door exports, if the door of the pure parts were gone (control)', () => {
    const others = doors.filter(({ name }) => !name.endsWith('/core'));
    expect(readDoors(others).hidden).toEqual(
      expect.arrayContaining(['BitLayout', 'Clock', 'ClockRollbackPolicy']),
    );
  });

  it.each([
    ['requireWholeNumber'],
    ['requireOptions'],
    ['registerDataSourceIntegration'],
    ['DATA_SOURCE_INTEGRATION'],
    ['wordsOf'],
    ['LogicalClock'],
    ['LeaseKeeper'],
    ['keeperSettings'],
  ])('exports no internal: %s', (name) => {
    expect(built).not.toMatch(new RegExp(`\\b${name}\\b`));
  });

  it('has few names at the door of Nest', () => {
    const [, names = ''] = /\n=== nestjs-snowflake\n(.*?)\n=== /s.exec(built) ?? [];
    const count = names.match(
      /^(export )?(abstract class|class|interface|type|const|function|\w+: see) ?/gm,
    )?.length;
    expect(count).toBeGreaterThan(30);
    expect(count).toBeLessThan(56);
  });

  it('holds no comments and no private members', () => {
    expect(built).not.toMatch(/\/\*\*|^ +private (?!constructor)|#\w/m);
  });
});
