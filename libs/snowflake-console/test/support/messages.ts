import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../page/src/messages/', import.meta.url);

/** The files of messages, one for each language. */
export const MESSAGE_FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

/** Returns the messages of a language by their keys. */
export function messagesIn(file: string): Record<string, string> {
  return JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Record<string, string>;
}

/** The English messages by their keys. */
export const en = messagesIn('en.json');
