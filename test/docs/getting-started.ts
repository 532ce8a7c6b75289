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

/** The app of the tutorial, after `change` of its code. */
export function tutorialApp(change = (code: string): string => code): CodeBlock[] {
  return [...TUTORIAL.blocksIn('ts'), MAIN].map(({ text, language }) => ({ language, text: change(text) }));
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
