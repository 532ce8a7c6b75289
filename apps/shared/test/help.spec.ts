import { ServerEnvironment } from '../src/environment/server-environment.js';
import { helpOf } from '../src/environment/help.js';
import { describedVariables, Names, Text } from '../src/environment/variables.js';

class Environment extends ServerEnvironment {
  override readonly PORT: number = 4000;

  @Text('a path', 'Where it is.')
  readonly PLACE?: string;

  @Names(/^\w+$/, 'names', 'Which there are.')
  readonly LIST: readonly string[] = ['one', 'two'];
}

describe('the help of an app', () => {
  const help = helpOf('Does something.', Environment);

  it('lists every variable with its values and its default', () => {
    for (const { name, values } of describedVariables(Environment))
      expect(help).toContain(`${name} (${values}`);
    expect(help).toContain('PORT (0 to 65535; default: 4000)');
    expect(help).toContain('PLACE (a path; default: none)');
    expect(help).toContain('default: one,two)');
  });

  it('describes the variables of the base class before those of the class itself', () => {
    const names = describedVariables(Environment).map(({ name }) => name);
    expect(names.indexOf('PORT')).toBeLessThan(names.indexOf('PLACE'));
    expect(describedVariables(class extends ServerEnvironment {}).map(({ name }) => name)).not.toContain(
      'PLACE',
    );
  });
});
