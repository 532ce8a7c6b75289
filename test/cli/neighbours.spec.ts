import { neighbours, neighboursText } from '../../libs/snowflake/src/cli/commands/stores/neighbours.js';

describe('the namespaces beside one that is empty', () => {
  it.each([
    ['shopp', 'shop'],
    ['shpo', 'shop'],
    ['SHOP', 'shop'],
    ['sho', 'shop'],
    ['shop.eu', 'ship.eu'],
    ['big', undefined],
    ['shop-orders', undefined],
  ])('name the one that is probably meant: %s', (namespace, nearest) => {
    const beside = neighbours(namespace, ['audit', 'ship.eu', 'shop']);
    expect(beside.nearest).toBe(nearest);
    expect(neighboursText(beside).includes('misspelling')).toBe(nearest !== undefined);
  });

  it('leave out the namespace itself and what is no name, and are cut to a few', () => {
    const all = ['shop', 'evil \u202e', '', ...Array.from({ length: 12 }, (_, index) => `tenant-${index}`)];
    const beside = neighbours('shop', all);
    expect(beside).toMatchObject({ isStored: true, nearest: undefined });
    expect(beside.others).toHaveLength(12);
    expect(neighboursText(beside)).toContain('and 2 more');
    expect(neighboursText(neighbours('shop', ['shop']))).toBe('');
  });
});
