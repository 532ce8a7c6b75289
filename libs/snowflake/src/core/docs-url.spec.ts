import { docsUrl } from './docs-url.js';

describe('the address of a page of the documentation', () => {
  it('is a URL of the site that names the page', () => {
    const { protocol, pathname, hash } = new URL(docsUrl('operations/doctor'));
    expect([protocol, hash]).toEqual(['https:', '']);
    expect(pathname).toMatch(/\/operations\/doctor\.html$/);
  });

  it('names the heading if there is one', () => {
    expect(new URL(docsUrl('operations/troubleshooting', 'every-start-waits')).hash).toBe(
      '#every-start-waits',
    );
  });
});
