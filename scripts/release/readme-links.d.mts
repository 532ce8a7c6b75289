/** Returns the page with addresses in the repository instead of relative links and pictures. */
export function withAbsoluteLinks(markdown: string, repositoryUrl: string): string;
