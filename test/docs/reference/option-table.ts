import type { Choices, OptionFacts, OptionsFacts, OptionType } from './option-facts.js';

const NONE = '–';
const COLUMNS = ['Option', 'Type', 'Default', 'Bounds', 'What it decides'];

/** Types that have their own section. */
const PLACES: Readonly<Record<string, string>> = {
  BitLayoutOptions: '#bit-layout',
  LayoutPresetName: 'layouts.md#presets',
  LeaseOptions: '#lease',
  LeaseStore: '../stores/your-own.md',
};

/** Writes a table of options, and below it what doesn't fit into a cell. */
export function optionTable({ own, foreign }: OptionsFacts, leading: readonly string[] = []): string {
  const options = inOrder(own, leading);
  const rows = options.map(rowOf);
  if (foreign.length > 0) {
    rows.push([foreign.map(code).join(', '), 'as in TypeORM', NONE, NONE, "TypeORM's own options"]);
  }
  const notes = options.flatMap(({ name, doc }) => (doc.rest.length === 0 ? [] : [noteOf(name, doc.rest)]));
  return [tableOf([COLUMNS, COLUMNS.map(() => '---'), ...rows]), notes.join('\n')]
    .filter(Boolean)
    .join('\n\n');
}

/** Lists follow the sentences, one level deeper. */
function noteOf(name: string, rest: readonly string[]): string {
  const sentences = rest.filter((part) => !part.startsWith('- '));
  const items = rest.filter((part) => part.startsWith('- ')).flatMap((part) => part.split('\n'));
  return [`- ${[`${code(name)}:`, ...sentences].join(' ')}`, ...items.map((item) => `  ${item}`)].join('\n');
}

/** The options with choices, each with its list. */
export function choicesOf({ own }: OptionsFacts): { name: string; choices: Choices }[] {
  return own.flatMap(({ name, type: { choices } }) => (choices ? [{ name, choices }] : []));
}

/** The named options, then those without a default, then the others. */
function inOrder(options: readonly OptionFacts[], leading: readonly string[]): OptionFacts[] {
  const rank = ({ name, isRequired }: OptionFacts): number => {
    const at = leading.indexOf(name);
    if (at >= 0) return at;
    return leading.length + Number(!isRequired);
  };
  return options.toSorted((one, other) => rank(one) - rank(other));
}

function rowOf({ name, isRequired, type, doc }: OptionFacts): string[] {
  const defaultValue = isRequired ? 'required' : doc.defaultValue;
  if (defaultValue === undefined)
    throw new Error(`${name} has no @defaultValue; write "none" if it has no default`);
  if (type.text === 'number' && doc.bounds === undefined) throw new Error(`${name} has no line "Bounds: …."`);
  if (doc.summary === '') throw new Error(`${name} has no TSDoc`);
  return [code(name), typeCell(type), defaultValue, doc.bounds ?? NONE, doc.summary.replace(/\.$/, '')];
}

function typeCell({ text, choices }: OptionType): string {
  if (choices) return code(choices.texts.map((choice) => `'${choice}'`).join(' | '));
  const parts = text.split(' | ');
  if (!parts.every((part) => Object.hasOwn(PLACES, part))) return code(text);
  return parts.map((part) => `[${code(part)}](${PLACES[part]})`).join(' or ');
}

function code(text: string): string {
  return `\`${text}\``;
}

function tableOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}
