import type en from './en.json';

/** The same message for different counts is one key: `bits.width.one` and `bits.width.other` are `bits.width`. */
type WithoutCount<Key extends string> = Key extends `${infer Base}.${'one' | 'other'}` ? Base : Key;

export type MessageKey = WithoutCount<keyof typeof en>;
export type Messages = Readonly<Record<string, string>>;

/** Every JSON file of this folder is a language, named by its tag (BCP 47). */
const FILES = import.meta.glob<Messages>('./*.json', { eager: true, import: 'default' });

/** The messages of each language. */
export const CATALOGS: Readonly<Record<string, Messages>> = Object.fromEntries(
  Object.entries(FILES).map(([file, messages]) => [file.slice('./'.length, -'.json'.length), messages]),
);

export const LANGUAGES: readonly string[] = Object.keys(CATALOGS).sort();

/** The fallback language, which is always complete. */
export const FALLBACK = 'en';

/** Returns the name of a language in that language. */
export function languageName(tag: string): string {
  const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}
