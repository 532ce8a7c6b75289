import { MarkdownPage } from '../../docs/markdown.js';

/** The lines of the README that install the library, without `npm i`. */
export const installLines: readonly string[] = MarkdownPage.read('README.md')
  .blocksIn('sh')
  .flatMap(({ text }) => [...text.matchAll(/^npm i (nestjs-snowflake.*)$/gm)].map(([, line = '']) => line));

/** Returns the only line of the README that fits. @throws Error if there is none, or more than one */
export function installLine(fits: (line: string) => boolean): string {
  const [line, ...others] = installLines.filter(fits);
  if (line === undefined || others.length > 0)
    throw new Error(`Expected one such line among those of the README:\n${installLines.join('\n')}`);
  return line;
}
