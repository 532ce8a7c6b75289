/** Words and turns that read as translated, each with what to write instead. */
export const FORBIDDEN: readonly { readonly pattern: RegExp; readonly instead: string }[] = [
  { pattern: /\bwhoever\b/i, instead: 'name the person or the process' },
  {
    pattern:
      /(?<!\bthere )\b(is|are) no (?!longer\b|more than\b|later than\b|earlier than\b|less than\b)\w+/i,
    instead: '"is not a …", or say what it is',
  },
  { pattern: /\bone that\b/i, instead: 'repeat the noun' },
  {
    pattern: /(?<!\b(some|all|most|both|none|each|many|one) )\b(of|from) which\b/i,
    instead: 'two sentences',
  },
  { pattern: /\bwithout a word\b/i, instead: 'silently' },
  { pattern: /\b(for lack of|lacks?|lacking)\b/i, instead: 'missing, without, does not have' },
  {
    pattern: /\b(what|it|that|which|here|there) stands\b|\bstands (for|in|at|on|between|behind)\b/i,
    instead: 'is, means',
  },
  { pattern: /(^|[.:;] )Should (it|they|the|a|you|this|that) /m, instead: 'If …' },
  { pattern: /\bsurroundings\b/i, instead: 'environment' },
  { pattern: /\bgives? (it )?out\b/i, instead: 'returns, exports, issues' },
  {
    pattern: /\bas ever\b|\bthereof\b|\bwherein\b|\bwhereof\b|\bthat of\b(?=[^.]{0,3}$)/im,
    instead: 'plain words',
  },
  { pattern: /\b(is|are) none\b/i, instead: 'is not a …' },
  { pattern: /\bdear(er)?\b/i, instead: 'expensive, slower' },
  { pattern: /\b(deed|reign|overtime|heartbeat)\b/i, instead: 'the words of docs/reference/glossary.md' },
];
