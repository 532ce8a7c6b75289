import type { DoorExports } from './doors.js';
import { optionsOf } from './option-facts.js';
import { OPTION_SECTIONS, type OptionSection } from './option-sections.js';
import { choicesOf, optionTable } from './option-table.js';

const HEAD = `# Options

<!-- Written by "npm run docs:reference" from the TSDoc of the options. Edit that, or the texts in test/docs/reference. -->

Every option of the library, with its default and its bounds. Names carry their unit: \`Ms\` means milliseconds, \`Bits\` bits.

The library checks options at construction. It throws [\`InvalidOptionError\`](errors.md#snowflake_invalid_option) for a value
that can't work, and for a name that it doesn't know. The message names the option, the value and the remedy.

A store object serves one ID maker at a time. Another maker is refused while the first one uses it, and may have it
afterwards. If your app retries a failed boot within one process, make the store in \`useFactory\` of \`forRootAsync()\`, so that
each try has its own.`;

/** Returns the page of options, as Markdown that is not formatted yet. */
export function optionsPage(exports: DoorExports): string {
  const shown = new Set<string>();
  return [HEAD, ...OPTION_SECTIONS.map((section) => sectionOf(exports, section, shown))].join('\n\n');
}

/** @param shown the lists of choices that the page already has; they are not repeated */
function sectionOf(exports: DoorExports, section: OptionSection, shown: Set<string>): string {
  const { heading, interfaceName, intro, leading, outro } = section;
  const options = optionsOf(exports, interfaceName);
  const choices = choicesOf(options).flatMap(({ name, choices: { list } }) => {
    if (shown.has(list)) return [];
    shown.add(list);
    return [`### ${name}`, quoted(list)];
  });
  return [`## ${heading}`, intro, optionTable(options, leading), ...choices, outro]
    .filter((part) => part !== undefined)
    .join('\n\n');
}

/** Shows choices as they are written in code. */
function quoted(list: string): string {
  return list.replaceAll(/^- `(\w+)`/gm, "- `'$1'`");
}
