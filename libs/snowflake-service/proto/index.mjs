import { fileURLToPath } from 'node:url';

export const PROTO_FOLDER = fileURLToPath(new URL('.', import.meta.url));
