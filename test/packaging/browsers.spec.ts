import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { entryPointsOf } from '../support/entry-points.mjs';

const LIBS = fileURLToPath(new URL('../../libs', import.meta.url));
const DIST = join(LIBS, 'snowflake/dist/esm');
/** The files that sibling packages import of this library. */
const BUILT = new Map(
  entryPointsOf('libs/snowflake').map(({ name, esm }) => [name, join(LIBS, 'snowflake', esm)]),
);

const INTERNAL = /^nestjs-snowflake\/internal\/(.+)$/;

/** What a module is linked by; the types of Node leave out what is behind a flag. */
interface Module {
  readonly namespace: Record<string, unknown>;
  link(linker: (specifier: string, from: { readonly identifier: string }) => Promise<Module>): Promise<void>;
  evaluate(): Promise<void>;
}
type SourceTextModule = new (text: string, options: { context: vm.Context; identifier: string }) => Module;

/**
 * Loads a built entry point as a browser would: with the globals of the language and nothing of Node, and with no module but
 * files of the library. @throws Error at an import of anything else, ReferenceError at a global of Node
 */
async function loadedWithoutNode(entryPoint: string): Promise<{ context: vm.Context; files: string[] }> {
  const { SourceTextModule } = vm as unknown as { SourceTextModule: SourceTextModule };
  const context = vm.createContext({});
  const modules = new Map<string, Module>();
  const load = (path: string): Module => {
    const known = modules.get(path);
    if (known) return known;
    const loaded = new SourceTextModule(readFileSync(path, 'utf8'), { context, identifier: path });
    modules.set(path, loaded);
    return loaded;
  };
  const entry = load(resolve(DIST, entryPoint));
  await entry.link(async (specifier, { identifier }) => {
    const [, internal] = INTERNAL.exec(specifier) ?? [];
    const own = internal ? join(DIST, `${internal}.js`) : BUILT.get(specifier);
    const path = own ?? resolve(dirname(identifier), specifier);
    if ((!own && !specifier.startsWith('.')) || !existsSync(path))
      throw new Error(`A browser has no module ${specifier}`);
    return load(path);
  });
  await entry.evaluate();
  context['entryPoint'] = entry.namespace;
  return { context, files: [...modules.keys()] };
}

const run = (context: vm.Context, code: string): unknown => vm.runInContext(code, context);

describe('in a browser', () => {
  it('nestjs-snowflake/core loads in a browser and converts IDs', async () => {
    const { context, files } = await loadedWithoutNode('core/index.js');
    expect(files.length).toBeGreaterThan(5);
    expect(run(context, 'typeof process + typeof Buffer + typeof require')).toBe('undefined'.repeat(3));
    expect(run(context, `entryPoint.base62Codec().encode('382475217496248322')`)).toBe('0SFjugjHF10');
    expect(run(context, `entryPoint.prefixedCodec('ord').decode('ord_0SFjugjHF10')`)).toBe(
      '382475217496248322',
    );
    const refused = `(() => { try { entryPoint.hexCodec().decode('x'); } catch (error) { return error.code; } })()`;
    expect(run(context, refused)).toBe('SNOWFLAKE_INVALID_ID');
  });

  it('nestjs-snowflake/core decodes in a browser, and explains a layout', async () => {
    const { context } = await loadedWithoutNode('core/index.js');
    expect(
      run(
        context,
        `new entryPoint.IdDecoder(new entryPoint.BitLayout()).decode('382475217496248322').workerId`,
      ),
    ).toBe(17);
    expect(
      run(
        context,
        `entryPoint.suggestLayout({ years: 50, workers: 500, idsPerSecondPerWorker: 1000 }).spareBits`,
      ),
    ).toBe(12);
  });

  it.each([
    ['nestjs-snowflake/remote', 'stores/remote/index.js', 'remoteLeaseStore'],
    [
      'nestjs-snowflake-segments/remote',
      join(LIBS, 'snowflake-segments/dist/esm/remote.js'),
      'remoteSegmentStore',
    ],
  ])('%s loads in a runtime that has nothing of Node', async (_, path, name) => {
    const { context } = await loadedWithoutNode(path);
    context['URL'] = URL;
    expect(
      run(context, `entryPoint.${name}({ url: 'https://ids.example.com', namespace: 'shop' }).description`),
    ).toBe('remote namespace "shop"');
  });

  // Control: what needs Node is noticed.
  it('nestjs-snowflake does not load in a browser (control)', async () => {
    await expect(loadedWithoutNode('index.js')).rejects.toThrow(/A browser has no module (node:|@nestjs)/);
  });
});
