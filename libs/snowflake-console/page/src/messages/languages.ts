import type en from './en.json';

export const LANGUAGES = ['en', 'zh', 'sw'] as const;
export type Language = (typeof LANGUAGES)[number];

export type MessageKey = keyof typeof en;
export type Messages = Readonly<Record<MessageKey, string>>;

/** What each language calls itself. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', zh: '中文', sw: 'Kiswahili' };
