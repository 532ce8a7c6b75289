import { attachSnowflake } from 'nestjs-snowflake/typeorm';
import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake/standalone';
import { DataSource, type DataSourceOptions } from 'typeorm';

export interface Row {
  id: string | number;
}
export interface CustomerRow extends Row {
  name: string;
}
export interface OrderRow extends Row {
  reference: string;
  customerId: string | number;
  customer?: CustomerRow;
}

/** The entities of one version of the app. */
export interface Version {
  readonly Customer: new () => CustomerRow;
  readonly Order: new () => OrderRow;
  /** Whether the version makes Snowflake IDs. */
  readonly makesIds?: boolean;
}

let processes = 0;

/** A process of one version of the app: what it writes and reads through TypeORM. */
export class ShopApp {
  /** The IDs of the rows that this process has inserted. */
  readonly inserted: string[] = [];

  private constructor(
    private readonly version: Version,
    readonly dataSource: DataSource,
    private readonly ids: SnowflakeIdMaker | undefined,
  ) {}

  static async start(version: Version, options: DataSourceOptions): Promise<ShopApp> {
    const dataSource = new DataSource({
      ...options,
      entities: [version.Customer, version.Order],
    } as DataSourceOptions);
    const ids = version.makesIds
      ? new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: processes++ % 1024 }) })
      : undefined;
    await ids?.start();
    if (ids) attachSnowflake(dataSource, ids);
    await dataSource.initialize();
    return new ShopApp(version, dataSource, ids);
  }

  /** A new customer and its first order, in one transaction. */
  async addCustomer(name: string, reference: string): Promise<void> {
    const { Customer, Order } = this.version;
    await this.dataSource.transaction(async (manager) => {
      const customer = await manager.save(Customer, { name } as CustomerRow);
      const order = await manager.save(Order, { reference, customerId: customer.id } as OrderRow);
      this.inserted.push(String(customer.id), String(order.id));
    });
  }

  async addOrder(reference: string, customerName: string): Promise<void> {
    const { Customer, Order } = this.version;
    const { id: customerId } = await this.dataSource.manager.findOneByOrFail(Customer, {
      name: customerName,
    });
    const order = await this.dataSource.manager.save(Order, { reference, customerId } as OrderRow);
    this.inserted.push(String(order.id));
  }

  /** Reads the order and gives it to another customer. */
  async moveOrder(reference: string, customerName: string): Promise<void> {
    const { Customer, Order } = this.version;
    await this.dataSource.transaction(async (manager) => {
      const order = await manager.findOneByOrFail(Order, { reference });
      const { id: customerId } = await manager.findOneByOrFail(Customer, { name: customerName });
      await manager.save(Order, { ...order, customerId });
    });
  }

  async removeOrder(reference: string): Promise<void> {
    await this.dataSource.manager.delete(this.version.Order, { reference });
  }

  /** The name of an order's customer, by the reference; undefined for an order that isn't found. */
  async customerOf(reference: string): Promise<string | undefined> {
    const order = await this.dataSource.manager.findOne(this.version.Order, {
      where: { reference },
      relations: { customer: true },
    });
    return order?.customer?.name;
  }

  /** The same, requested by a client that has the ID of the order. */
  async customerOfId(reference: string): Promise<string | undefined> {
    const { Customer, Order } = this.version;
    const { id } = await this.dataSource.manager.findOneByOrFail(Order, { reference });
    const order = await this.dataSource.manager.findOneBy(Order, { id });
    if (order === null) return undefined;
    return (await this.dataSource.manager.findOneBy(Customer, { id: order.customerId }))?.name;
  }

  async stop(): Promise<void> {
    await this.dataSource.destroy();
    await this.ids?.stop();
  }
}
