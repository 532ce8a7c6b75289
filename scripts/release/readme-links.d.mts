export function withAbsoluteLinks(markdown: string, repositoryUrl: string, folder?: string): string;
