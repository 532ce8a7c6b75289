/** Where the documentation is published. No release goes out before this is a real address. */
export const DOCS_SITE = 'https://PLACEHOLDER.github.io/nestjs-snowflake/';

/**
 * Returns the address of a page of the documentation, for messages: packages don't contain its files.
 *
 * @param page its path below `docs/`, without `.md`: `'operations/doctor'`
 * @param anchor of a heading: `'the-app-does-not-boot'`
 */
export function docsUrl(page: string, anchor?: string): string {
  return `${DOCS_SITE}${page}.html${anchor === undefined ? '' : `#${anchor}`}`;
}
