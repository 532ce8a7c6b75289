import { describedVariables } from './variables.js';

const WIDTH = 100;
const INDENT = '    ';

/** Returns the help of a program: what it does, and its environment variables with their values and defaults. */
export function helpOf(purpose: string, environment: new () => object): string {
  const defaults = new environment() as Readonly<Record<string, unknown>>;
  const variables = describedVariables(environment).map(({ name, values, purpose: decides }) => {
    const given = defaults[name];
    const value = given === undefined ? 'none' : String(given);
    return `${name} (${values}; default: ${value})\n${wrapped(decides)}`;
  });
  return [
    purpose,
    'It reads these environment variables. One that is unset or empty takes its default.',
    ...variables,
  ].join('\n\n');
}

function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length > WIDTH - INDENT.length) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => `${INDENT}${line}`).join('\n');
}
