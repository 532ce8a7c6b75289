import type { EntryPointExports } from './entry-points.js';
import { optionsOf } from './option-facts.js';
import { choicesOf, optionTable } from './option-table.js';
import { filled, template } from './template.js';

/** The pages of options below `docs/reference/`, without `.md`: one for each package, and one for the lease stores. */
export const OPTION_PAGES = [
  'options',
  'store-options',
  'segment-options',
  'series-options',
  'service-options',
  'console-options',
] as const;

/**
 * Returns a page of options, as Markdown that is not formatted yet. A placeholder names an interface, and after a colon
 * the options that come first: `<!-- options LeaseOptions: windowMs -->`.
 */
export function optionsPage(exports: EntryPointExports, page: (typeof OPTION_PAGES)[number]): string {
  const shown = new Set<string>();
  return filled(template(page), {
    options: (argument) => {
      const [interfaceName = '', leading = ''] = argument.split(': ');
      return sectionOf(exports, interfaceName, leading.split(', '), shown);
    },
  });
}

/** @param shown the lists of choices that the page already has; they are not repeated */
function sectionOf(
  exports: EntryPointExports,
  interfaceName: string,
  leading: readonly string[],
  shown: Set<string>,
): string {
  const options = optionsOf(exports, interfaceName);
  const choices = choicesOf(options).flatMap(({ name, choices: { list } }) => {
    if (shown.has(list)) return [];
    shown.add(list);
    return [`### ${name}`, quoted(list)];
  });
  return [optionTable(options, leading), ...choices].join('\n\n');
}

/** Shows choices as they are written in code. */
function quoted(list: string): string {
  return list.replaceAll(/^- `(\w+)`/gm, "- `'$1'`");
}
