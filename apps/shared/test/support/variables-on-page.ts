import { codeIn, MarkdownPage } from '../../../../test/docs/markdown.js';
import { environmentIn } from '../../src/environment/environment.js';
import type { ServerEnvironment } from '../../src/environment/server-environment.js';
import { describedVariables } from '../../src/environment/variables.js';

const BY_NODE_ENV = 'by NODE_ENV';

/** Defines the tests of a page whose table lists the environment variables of an app. */
export function testVariablesOn(page: string, environment: new () => ServerEnvironment): void {
  describe(`the environment variables in ${page}`, () => {
    const [table] = MarkdownPage.read(page).tablesUnder('Environment variables');
    const rows = (table?.rows ?? []).map(([variable = '', value = '', values = '']) => ({
      name: codeIn(variable)[0] ?? '',
      value: value.replaceAll('`', ''),
      values,
    }));

    it('lists exactly the environment variables that the app reads', () => {
      const variables = describedVariables(environment).map(({ name }) => name);
      expect(rows.map(({ name }) => name).sort()).toEqual(variables.sort());
    });

    it('states the default of each environment variable', () => {
      const stated = rows.filter(({ value }) => value !== '' && value !== BY_NODE_ENV);
      const defaults = Object.entries(environmentIn({}, environment)).filter(
        ([, value]) => value !== undefined,
      );
      expect(Object.fromEntries(stated.map(({ name, value }) => [name, value]))).toEqual(
        Object.fromEntries(defaults.map(([name, value]) => [name, String(value)])),
      );
    });

    it('states the bounds of each environment variable', () => {
      for (const { name, values } of rows) {
        const [, min, max] = /^(\d+) to (\d+)$/.exec(values) ?? [];
        if (min === undefined || max === undefined) continue;
        for (const bound of [min, max])
          expect(() => environmentIn({ [name]: bound }, environment)).not.toThrow();
        expect(() => environmentIn({ [name]: String(Number(max) + 1) }, environment)).toThrow(
          `from ${min} to ${max}`,
        );
      }
      expect.hasAssertions();
    });
  });
}
