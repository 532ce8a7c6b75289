import { asSentence } from './as-sentence.js';

describe('a text that another sentence follows', () => {
  it.each([
    ['connect ECONNREFUSED 127.0.0.1:6379', 'connect ECONNREFUSED 127.0.0.1:6379.'],
    ['It did not answer.', 'It did not answer.'],
    ['See https://example.com/page.html', 'See https://example.com/page.html'],
  ])('ends %p with a full stop where it needs one', (text, sentence) => {
    expect(asSentence(text)).toBe(sentence);
  });
});
