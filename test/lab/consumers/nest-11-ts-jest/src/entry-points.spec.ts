import * as root from 'nestjs-snowflake';
import * as core from 'nestjs-snowflake/core';
import { obfuscatingCodec } from 'nestjs-snowflake/obfuscation';
import * as redis from 'nestjs-snowflake/redis';
import * as sql from 'nestjs-snowflake/sql';
import * as standalone from 'nestjs-snowflake/standalone';
import * as store from 'nestjs-snowflake/store';
import * as testing from 'nestjs-snowflake/testing';
import * as typeorm from 'nestjs-snowflake/typeorm';

describe('every entry point of the library', () => {
  it('loads', () => {
    const entryPoints: object[] = [
      root,
      core,
      redis,
      sql,
      standalone,
      store,
      testing,
      typeorm,
    ];
    expect(
      entryPoints.filter((entryPoint) => Object.keys(entryPoint).length === 0),
    ).toEqual([]);
  });

  it('loads its cipher', () => {
    const key =
      '2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94';
    const codec = obfuscatingCodec({ keys: { 1: key }, current: 1 });
    expect(codec.decode(codec.encode('382475217496248322'))).toBe(
      '382475217496248322',
    );
  });
});
