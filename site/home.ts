/** The top of the home page on the site. */
export interface Hero {
  readonly name: string;
  readonly text: string;
  readonly tagline: string;
}

export interface Feature {
  readonly title: string;
  readonly details: string;
  readonly link?: string;
  readonly linkText?: string;
}

/**
 * Reads the hero and the cards of the home page from `docs/index.md`, so that GitHub shows the same text: the title, the
 * paragraphs below it, and the list up to the second heading. `- **Title.** Details. [Link](page.md)`
 */
export function homeOf(markdown: string): { readonly hero: Hero; readonly features: readonly Feature[] } {
  const [, name = '', top = ''] = /^# (.+)\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(markdown) ?? [];
  const blocks = top.trim().split(/\n\n+/);
  const [lead = '', tagline = ''] = blocks.filter((block) => !/^[-[]/.test(block)).map(oneLine);
  const features = [...top.matchAll(/^- \*\*(.+?)\.?\*\* ([\s\S]*?)(?=\n- |\n\n|$(?![\s\S]))/gm)].map(
    ([, title = '', text = '']) => {
      const [, details = '', linkText, page] = /^(.*?)(?: \[(.+)\]\((.+)\.md\))?$/.exec(oneLine(text)) ?? [];
      return { title, details, ...(page === undefined ? {} : { link: `/${page}`, linkText }) };
    },
  );
  return { hero: { name, text: lead, tagline }, features };
}

/** Returns the code that the home page shows, as Markdown: the first program of the README and what it answers. */
export function exampleOf(readme: string): string {
  return ['ts', 'console']
    .map((language) => new RegExp(`^\`\`\`${language}\\n[\\s\\S]*?^\`\`\`$`, 'm').exec(readme)?.[0] ?? '')
    .join('\n\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
