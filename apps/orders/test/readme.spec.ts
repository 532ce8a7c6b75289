import { Environment, readEnvironment } from '../src/config/environment.js';
import { codeIn, MarkdownPage } from '../../../test/docs/markdown.js';
import { getMetadataStorage } from 'class-validator';

describe('the page of the backend', () => {
  const [table] = MarkdownPage.read('apps/orders/README.md').tablesUnder('Environment variables');
  const rows = (table?.rows ?? []).map(([variable = '', value = '']) => ({
    name: codeIn(variable)[0] ?? '',
    value: codeIn(value)[0],
  }));

  it('lists exactly the environment variables that the backend reads', () => {
    const validated = getMetadataStorage().getTargetValidationMetadatas(Environment, '', true, false);
    const variables = new Set(validated.map(({ propertyName }) => propertyName));
    expect(rows.map(({ name }) => name).sort()).toEqual([...variables].sort());
  });

  it('states the default of each environment variable', () => {
    const named = Object.fromEntries(
      rows.flatMap(({ name, value }) =>
        value === undefined || name === 'API_DOCS' || name === 'CONSOLE' ? [] : [[name, value]],
      ),
    ) as Record<string, string>;
    const defaults = Object.entries(readEnvironment({})).filter(([, value]) => value !== undefined);
    expect(named).toEqual(Object.fromEntries(defaults.map(([name, value]) => [name, String(value)])));
  });

  it('states the bounds of each environment variable', () => {
    for (const [name = '', , values = ''] of table?.rows ?? []) {
      const [, min, max] = /^(\d+) to (\d+)$/.exec(values) ?? [];
      if (min === undefined || max === undefined) continue;
      const variable = codeIn(name)[0] ?? '';
      for (const bound of [min, max]) expect(() => readEnvironment({ [variable]: bound })).not.toThrow();
      expect(() => readEnvironment({ [variable]: String(Number(max) + 1) })).toThrow(`from ${min} to ${max}`);
    }
    expect.hasAssertions();
  });
});
