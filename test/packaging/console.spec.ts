import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT } from '../docs/markdown.js';

const USE = `
  const server = await startConsoleServer({ namespace: { name: 'none', description: 'none', inspect: async () => ({ rows: [] }) } });
  const page = await fetch(server.url);
  console.log(page.status, (await page.text()).includes('<div id="root">'));
  await server.stop();
`;
const ENTRY_POINT = 'nestjs-snowflake-console/server';

async function run(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: 60_000 });
  return stdout.trim();
}

describe('the built console', () => {
  it('serves its page as an ES module', async () => {
    const code = `import { startConsoleServer } from '${ENTRY_POINT}';${USE}`;
    expect(await run('--input-type=module', '-e', code)).toBe('200 true');
  });

  it('serves its page as CommonJS', async () => {
    const code = `const { startConsoleServer } = require('${ENTRY_POINT}'); (async () => {${USE}})();`;
    expect(await run('--input-type=commonjs', '-e', code)).toBe('200 true');
  });
});
