import type en from './en.json';

/** The same message for different counts is one key: `bits.width.one` and `bits.width.other` are `bits.width`. */
type WithoutCount<Key extends string> = Key extends `${infer Base}.${'one' | 'other'}` ? Base : Key;

export type MessageKey = WithoutCount<keyof typeof en>;
export type Messages = Readonly<Record<string, string>>;

/** Every JSON file of this folder is a language, named by its tag (BCP 47). A viewer loads one of them, from this address. */
const FILES = import.meta.glob<string>('./*.json', { query: '?url', import: 'default', eager: true });

const fileOf = (tag: string): string => `./${tag}.json`;

export const LANGUAGES: readonly string[] = Object.keys(FILES)
  .map((file) => file.slice('./'.length, -'.json'.length))
  .sort();

/** The language of viewers who prefer none that exists. */
export const FALLBACK = 'en';

/** Loads the messages of a language. @throws if the server no longer has them */
export async function loadMessages(tag: string): Promise<Messages> {
  const response = await fetch(FILES[fileOf(tag)] ?? '');
  return (await response.json()) as Messages;
}

/** Returns the name of a language in that language. */
export function languageName(tag: string): string {
  const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}
