import { Module, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { optionalProvider } from './optional-provider.js';

class Segments {
  readonly own: boolean = true;
}

/** As a minified bundle names it. */
@Module({ providers: [Segments] })
class a {}

/** A module of the app that has the name of ours. */
@Module({})
class SegmentModule {}

async function moduleRefOf(...imports: Type<object>[]): Promise<ModuleRef> {
  const app = await Test.createTestingModule({ imports }).compile();
  return app.get(ModuleRef, { strict: false });
}

const load = async () => Segments;

describe('the provider of a package that an app may lack', () => {
  it('is found by its class, whatever the name of its module is', async () => {
    expect(await optionalProvider(await moduleRefOf(a), load)).toBeInstanceOf(Segments);
  });

  it('is found if a test has replaced it', async () => {
    const fake = { own: false };
    const builder = Test.createTestingModule({ imports: [a] });
    const app = await builder.overrideProvider(Segments).useValue(fake).compile();
    expect(await optionalProvider(app.get(ModuleRef, { strict: false }), load)).toBe(fake);
  });

  it('is missing if the app does not import its module, or has another one with this name', async () => {
    expect(await optionalProvider(await moduleRefOf(), load)).toBeUndefined();
    expect(await optionalProvider(await moduleRefOf(SegmentModule), load)).toBeUndefined();
  });

  it('is missing if its package is not installed', async () => {
    expect(await optionalProvider(await moduleRefOf(a), async () => undefined)).toBeUndefined();
  });
});
