import { type CodeBlock, MarkdownPage } from './markdown.js';

/** The apps of the README. The second quick start has another module, and the entity and the service of the first. */
export function quickStarts(): Record<'sql' | 'redis', CodeBlock[]> {
  const [sqlModule, entity, service, redisModule, ...others] = MarkdownPage.read('README.md').blocksIn('ts');
  if (!sqlModule || !entity || !service || !redisModule || others.length > 0) {
    throw new Error('The README has other blocks of TypeScript than those of its quick starts');
  }
  return { sql: [sqlModule, entity, service], redis: [redisModule, entity, service] };
}
