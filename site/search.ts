/**
 * Returns a word of a search with the words that pages use for it. VitePress sends the function to the browser as text, so it can't
 * use anything that is outside of it.
 */
export function searchedWords(word: string): string[] {
  const synonyms: Readonly<Record<string, readonly string[]>> = {
    obfuscate: ['public', 'obfuscating'],
    obfuscation: ['public', 'obfuscating'],
    hashid: ['public', 'obfuscating'],
    hashids: ['public', 'obfuscating'],
    sqids: ['public', 'obfuscating'],
    encrypt: ['public', 'obfuscating'],
    mock: ['testing', 'fake'],
    mocking: ['testing', 'fake'],
    stub: ['testing', 'fake'],
    jest: ['testing'],
    vitest: ['testing'],
    curl: ['http', 'service'],
    rest: ['http', 'service'],
    docker: ['service', 'container', 'kubernetes'],
    dockerfile: ['service', 'container', 'kubernetes'],
    helm: ['kubernetes'],
    k8s: ['kubernetes'],
    duplicate: ['duplicates', 'twice'],
    duplicated: ['duplicates', 'twice'],
    collision: ['duplicates', 'safety', 'repeat'],
    parse: ['decode'],
    decoder: ['decode'],
    converter: ['decode'],
    uuidv7: ['uuid', 'uuids'],
    ulid: ['uuid', 'uuids'],
    autoincrement: ['auto-increment', 'increment'],
    serial: ['auto-increment', 'increment'],
    grafana: ['metrics', 'monitoring'],
    gapless: ['gaps', 'document'],
  };
  const lower = word.toLowerCase();
  return [lower, ...(Object.hasOwn(synonyms, lower) ? (synonyms[lower] ?? []) : [])];
}
