import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../markdown.js';

/** Makes a part of a page from the words in its placeholder. */
export type Filler = (argument: string) => string;

const PLACEHOLDER = /^<!-- (\w+)(?: ([^>]*))? -->$/gm;

/** Reads the texts of a page that are written by hand. */
export function template(name: string): string {
  return readFileSync(join(ROOT, 'test/docs/reference', `${name}.template.md`), 'utf8');
}

/** Replaces each placeholder, such as `<!-- options LeaseOptions -->`, by what the filler of its first word makes. */
export function filled(text: string, fillers: Readonly<Record<string, Filler>>): string {
  return text.replaceAll(PLACEHOLDER, (whole: string, word: string, argument = '') => {
    const fill = Object.hasOwn(fillers, word) ? fillers[word] : undefined;
    return fill ? fill(argument) : whole;
  });
}
