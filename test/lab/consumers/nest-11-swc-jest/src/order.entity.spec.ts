import { getMetadataArgsStorage } from 'typeorm';
import { Order } from './order.entity';

describe('Order', () => {
  it('has an ID of its own and one of a customer', () => {
    const columns = getMetadataArgsStorage().columns.filter(
      ({ target }) => target === Order,
    );
    expect(columns.map(({ propertyName }) => propertyName)).toEqual([
      'id',
      'customerId',
    ]);
  });
});
