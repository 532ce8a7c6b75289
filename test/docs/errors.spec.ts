import * as library from 'nestjs-snowflake';
import * as codecs from 'nestjs-snowflake/codecs';
import * as core from 'nestjs-snowflake/core';
import * as obfuscation from 'nestjs-snowflake/obfuscation';
import * as redis from 'nestjs-snowflake/redis';
import * as segments from 'nestjs-snowflake/segments';
import * as series from 'nestjs-snowflake/series';
import * as sql from 'nestjs-snowflake/sql';
import * as standalone from 'nestjs-snowflake/standalone';
import * as storeTesting from 'nestjs-snowflake/store-testing';
import * as typeorm from 'nestjs-snowflake/typeorm';
import { LibraryTypes } from './library-types.js';
import { codeIn, MarkdownPage } from './markdown.js';

const DOORS: Readonly<Record<string, object>> = {
  'nestjs-snowflake': library,
  'nestjs-snowflake/codecs': codecs,
  'nestjs-snowflake/core': core,
  'nestjs-snowflake/obfuscation': obfuscation,
  'nestjs-snowflake/redis': redis,
  'nestjs-snowflake/segments': segments,
  'nestjs-snowflake/series': series,
  'nestjs-snowflake/sql': sql,
  'nestjs-snowflake/standalone': standalone,
  'nestjs-snowflake/store-testing': storeTesting,
  'nestjs-snowflake/typeorm': typeorm,
};

/** Every error class that a door exports, with the doors that do. */
function errorClasses(): Map<string, { type: typeof Error; doors: string[] }> {
  const classes = new Map<string, { type: typeof Error; doors: string[] }>();
  for (const [door, exports] of Object.entries(DOORS)) {
    for (const [name, type] of Object.entries(exports) as [string, unknown][]) {
      if (!name.endsWith('Error') || typeof type !== 'function') continue;
      const known = classes.get(name)?.doors ?? [];
      classes.set(name, { type: type as typeof Error, doors: [...known, door] });
    }
  }
  return classes;
}

/** What the page says of a code, from its heading to the next. */
function sectionOf(page: MarkdownPage, code: string): string {
  return page.text.split(/^##+ /m).find((section) => section.startsWith(`${code}\n`)) ?? '';
}

describe('the errors of the library', () => {
  const classes = errorClasses();
  const page = MarkdownPage.read('docs/reference/errors.md');
  const errors = new LibraryTypes().errors();

  it('all extend SnowflakeError', () => {
    const strangers = [...classes.values()]
      .map(({ type }) => type as unknown)
      .filter((type) => type !== library.SnowflakeError)
      .filter((type) => !((type as typeof Error).prototype instanceof library.SnowflakeError));
    expect(strangers).toEqual([]);
    expect(library.SnowflakeError.prototype).toBeInstanceOf(Error);
  });

  it('are all of those that the page has a code for', () => {
    const exported = [...classes.keys()].filter((name) => name !== 'SnowflakeError');
    expect(exported.sort()).toEqual(errors.map(({ className }) => className).sort());
  });

  it.each(errors)('have their class, their doors and a remedy on the page: $code', ({ code, className }) => {
    const section = sectionOf(page, code);
    expect(section).toContain(`Class: \`${className}\``);
    const [, doors = ''] = /^- Exported from: (.*)$/m.exec(section) ?? [];
    expect(codeIn(doors).sort()).toEqual(classes.get(className)?.doors.sort());
    expect(section).toMatch(/^\*\*What to do:\*\* \S.{10,}/m);
  });
});
