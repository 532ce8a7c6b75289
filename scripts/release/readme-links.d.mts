/**
 * Returns the page with addresses in the repository instead of relative links and pictures.
 *
 * @param folder of the page in the repository
 */
export function withAbsoluteLinks(markdown: string, repositoryUrl: string, folder?: string): string;
