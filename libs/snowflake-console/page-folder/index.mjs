import { fileURLToPath } from 'node:url';

export const PAGE_FOLDER = fileURLToPath(new URL('../dist/page', import.meta.url));
