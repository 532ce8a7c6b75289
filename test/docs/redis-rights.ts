import { Redis } from 'ioredis';
import { MarkdownPage } from './markdown.js';

/** Makes the user of the page on Redis on a server, with the rights and the password that the page prints. */
export async function grantPrintedRights(url: string): Promise<void> {
  const { text } = MarkdownPage.read('docs/stores/redis.md');
  const [rights = ''] = /^ACL SETUSER .*$/m.exec(text) ?? [];
  const [command = '', ...words] = rights.split(' ');
  const admin = new Redis(url, { maxRetriesPerRequest: 1 });
  await admin.call(command, ...words);
  admin.disconnect();
}
