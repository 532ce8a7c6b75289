import { type CodeBlock, MarkdownPage } from './markdown.js';

export const TUTORIAL = MarkdownPage.read('docs/getting-started.md');
const [line = ''] = TUTORIAL.blocksIn('js').map(({ text }) => text.trim());

/** The file that `nest new` makes, with the line of the page. */
const MAIN: CodeBlock = {
  language: 'ts',
  text: `// src/main.ts
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

async function bootstrap() {
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
  ${line}
  await app.listen(process.env.PORT ?? 3000);
}
await bootstrap();
`,
};

/** Where the app of the tutorial leases worker IDs, by the function that makes the store. */
export type TutorialStore = 'redisLeaseStore' | 'sqlLeaseStore';

/** The app of the tutorial with one of its two stores, after `change` of its code. */
export function tutorialApp(store: TutorialStore, change = (code: string): string => code): CodeBlock[] {
  const isOfOther = ({ text }: CodeBlock): boolean =>
    text.startsWith('// src/lease-store.ts') && !text.includes(store);
  const blocks = [...TUTORIAL.blocksIn('ts').filter((block) => !isOfOther(block)), MAIN];
  return blocks.map(({ text, language }) => ({ language, text: change(text) }));
}

const FIRST_START = MarkdownPage.read('docs/guides/first-start.md');

/** The command that declares the namespace new, without `npx nestjs-snowflake-cli`. */
export function tutorialInit(flag: '--redis' | '--database', url: string): string[] {
  const [command = ''] = new RegExp(`(?<=nestjs-snowflake-cli )init ${flag} .*`).exec(FIRST_START.text) ?? [];
  return command.split(' ').map((word) => (word.startsWith('"$') ? url : word));
}

/** Applies the diff of the page: its lines with a minus are in the code of the page. */
export function withSqlite(code: string): string {
  const [diff = ''] = TUTORIAL.blocksIn('diff').map(({ text }) => text);
  const parts = [...diff.matchAll(/((?:^-.*\n)+)((?:^\+.*\n)+)/gm)];
  const linesOf = (text: string): string => text.replaceAll(/^./gm, '');
  return parts.reduce((changed, [, old = '', added = '']) => {
    return changed.replace(linesOf(old), linesOf(added));
  }, code);
}
