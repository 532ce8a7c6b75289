import { asksForHelp } from '../src/environment/arguments.js';
import { EnvironmentError } from '../src/environment/environment.js';

describe('the arguments of an app', () => {
  it('ask for its help, or for nothing', () => {
    expect(asksForHelp([])).toBe(false);
    expect(asksForHelp(['--help'])).toBe(true);
    expect(asksForHelp(['--port', '--help'])).toBe(true);
  });

  it.each([
    ['--port', ['--port', '80']],
    ['--database-url', ['--database-url=postgres://ids:a-secret@db/ids']],
    ['DATABASE_URL', ['DATABASE_URL=postgres://ids:a-secret@db/ids']],
    ['-h', ['-h']],
  ])('fail with the name %s and show no value', (name, args) => {
    const ask = (): boolean => asksForHelp(args);
    expect(ask).toThrow(EnvironmentError);
    expect(ask).toThrow(name);
    expect(ask).toThrow(expect.objectContaining({ message: expect.not.stringContaining('secret') }));
  });
});
