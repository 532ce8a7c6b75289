import * as library from 'nestjs-snowflake';
import * as codecs from 'nestjs-snowflake/codecs';
import * as core from 'nestjs-snowflake/core';
import * as redis from 'nestjs-snowflake/redis';
import * as sql from 'nestjs-snowflake/sql';
import * as standalone from 'nestjs-snowflake/standalone';
import * as typeorm from 'nestjs-snowflake/typeorm';
import { LibraryTypes } from './library-types.js';

const DOORS = { library, core, standalone, redis, sql, typeorm, codecs };

/** Every error class that a door gives out. */
function errorClasses(): [name: string, type: unknown][] {
  return Object.values(DOORS)
    .flatMap((door) => Object.entries(door))
    .filter(([name, value]) => name.endsWith('Error') && typeof value === 'function');
}

describe('the errors of the library', () => {
  it('all extend SnowflakeError', () => {
    const strangers = errorClasses()
      .filter(([, type]) => type !== library.SnowflakeError)
      .filter(([, type]) => !((type as typeof Error).prototype instanceof library.SnowflakeError));
    expect(strangers).toEqual([]);
    expect(library.SnowflakeError.prototype).toBeInstanceOf(Error);
  });

  it('are all of those that the table of the README has a code for', () => {
    const exported = new Set(errorClasses().map(([name]) => name));
    exported.delete('SnowflakeError');
    expect([...exported].sort()).toEqual(
      new LibraryTypes()
        .errors()
        .map(({ className }) => className)
        .sort(),
    );
  });
});
