import { BitLayout, InvalidOptionError } from 'nestjs-snowflake/core';
import { createFunctions } from './functions.js';

const layout = new BitLayout();

describe('the statements that create functions', () => {
  it('create the functions in the given schema of PostgreSQL', () => {
    const statements = createFunctions({ database: 'postgres', layout, schema: 'shop_ids' }).join('\n');
    expect(statements).toContain('FUNCTION shop_ids.first_id(');
    expect(statements).not.toContain('snowflake.');
  });

  it('have a function for the datacenter ID only if the layout has one', () => {
    const withDatacenter = new BitLayout({ datacenterBits: 5, workerBits: 5 });
    expect(createFunctions({ database: 'mysql', layout: withDatacenter }).join()).toContain('datacenter_id');
    expect(createFunctions({ database: 'mysql', layout }).join()).not.toContain('datacenter_id');
  });

  it.each([
    ['--schema', { database: 'postgres', layout, schema: 'x"; DROP TABLE orders; --' }],
    ['--schema', { database: 'postgres', layout, schema: 'Shop' }],
    ['--schema', { database: 'mariadb', layout, schema: 'shop' }],
    ['epoch', { database: 'sqlite', layout: new BitLayout({}, '0999-12-31') }],
  ] as const)('are refused for %s of %o', (option, wanted) => {
    expect(() => createFunctions(wanted)).toThrow(InvalidOptionError);
    expect(() => createFunctions(wanted)).toThrow(option);
  });
});
