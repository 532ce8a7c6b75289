import { attachSnowflake } from 'nestjs-snowflake/typeorm';
import { type DataSource, In } from 'typeorm';
import { dataSourceFor, KINDS } from './support/databases.js';
import {
  Album,
  Category,
  Contract,
  Document,
  Folder,
  NoteSchema,
  Passport,
  Payment,
  Photo,
  Refund,
  Region,
  Sale,
  SHAPES,
  Translation,
  Truck,
  Van,
  Vehicle,
} from './support/shapes.js';
import { CountingSource } from './support/sources.js';

describe.each(KINDS)('shapes of entities on %s [promise: exact-keys]', (kind) => {
  const ids = new CountingSource();
  const auditIds = new CountingSource(8_000_000_000_000_000_001n);
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await dataSourceFor(kind, 'shapes', { entities: SHAPES });
    attachSnowflake(dataSource, { default: ids, audit: auditIds });
    await dataSource.initialize();
  });
  afterAll(() => dataSource.destroy());

  it('serves an abstract base, active records and named generators', async () => {
    const payment = await Payment.create({ cents: 5 }).save();

    expect(payment.id).toBe(ids.issued.at(-1));
    expect(payment.traceId).toBe(auditIds.issued.at(-1));
    await expect(Payment.findOneByOrFail({ traceId: payment.traceId })).resolves.toEqual(payment);
  });

  it('gives the ID of a child in a schema to its rows only', async () => {
    const documents = dataSource.getRepository(Document);
    const saved = await documents.save(Object.assign(new Document(), { title: 'a' }));
    await documents.insert({ title: 'b' });
    const contract = await dataSource
      .getRepository(Contract)
      .save(Object.assign(new Contract(), { title: 'c' }));

    expect(contract.number).toBe(ids.issued.at(-1));
    await expect(documents.countBy({ title: In(['a', 'b', 'c']) })).resolves.toBe(3);
    await expect(documents.findOneByOrFail({ id: saved.id })).resolves.not.toHaveProperty('number');
  });

  it('stores IDs as text where asked to, and in the foreign keys to it', async () => {
    const sale = await dataSource.getRepository(Sale).save({ refunds: [{}] });

    const refund = await dataSource
      .getRepository(Refund)
      .findOneOrFail({ where: { sale: { id: sale.id } }, relations: { sale: true } });
    expect(refund).toMatchObject({ id: sale.refunds[0]!.id, sale: { id: sale.id } });
    const column = dataSource.getMetadata(Sale).findColumnWithPropertyName('id')!;
    expect(column).toMatchObject({ type: 'varchar', length: '20' });
    expect(dataSource.getMetadata(Refund).findColumnWithDatabaseName('saleId')).toMatchObject({
      type: 'varchar',
      length: '20',
    });
  });

  it('assigns IDs inside embedded objects, present or not', async () => {
    const sales = dataSource.getRepository(Sale);
    const [absent, present] = await sales.save([{}, { receipt: { note: 'paid' } }] as Partial<Sale>[]);

    for (const sale of [absent!, present!]) {
      expect(ids.issued).toContain(sale.receipt!.number);
      await expect(
        sales.findOneByOrFail({ receipt: { number: sale.receipt!.number } }),
      ).resolves.toMatchObject({
        id: sale.id,
      });
    }
    expect(present!.receipt!.note).toBe('paid');
  });

  it('serves every class of single table inheritance, and only with its own columns', async () => {
    const parent = await dataSource.getRepository(Vehicle).save({ plate: 'P' });
    const truck = await dataSource.getRepository(Truck).save({ plate: 'T', tons: 40 });
    const van = await dataSource.getRepository(Van).save({ plate: 'V', seats: 9 });
    await dataSource.getRepository(Vehicle).insert({ plate: 'I' });

    for (const property of ['permit', 'badge']) expect(parent).not.toHaveProperty(property);
    expect(van).not.toHaveProperty('permit');
    const made = [parent.id, truck.id, truck.permit, truck.badge, truck.toll.number, van.id, van.badge];
    expect(ids.issued.slice(-8, -1).toSorted()).toEqual(made.toSorted());
    await expect(dataSource.getRepository(Truck).findOneByOrFail({ id: truck.id })).resolves.toMatchObject({
      tons: 40,
      permit: truck.permit,
    });
    const again = await dataSource.getRepository(Vehicle).findOneByOrFail({ id: parent.id });
    await dataSource.getRepository(Vehicle).save(Object.assign(again, { plate: 'Q' }));
    await expect(dataSource.getRepository(Vehicle).findOneByOrFail({ id: parent.id })).resolves.toMatchObject(
      {
        plate: 'Q',
      },
    );
  });

  it('completes a composite key', async () => {
    const translation = await dataSource.getRepository(Translation).save({ language: 'eo', authorId: '42' });

    expect(translation.id).toBe(ids.issued.at(-1));
    await expect(
      dataSource
        .getRepository(Translation)
        .findOneByOrFail({ id: translation.id, language: 'eo', authorId: '42' }),
    ).resolves.toEqual(translation);
  });

  it('leaves a key that comes from a relation to the relation', async () => {
    const issued = ids.issued.length;
    const passport = await dataSource.getRepository(Passport).save({ vehicle: { plate: 'X' } });

    const found = await dataSource.getRepository(Passport).findOneOrFail({
      where: { vehicleId: passport.vehicle.id },
      relations: { vehicle: true },
    });
    expect(found.vehicleId).toBe(found.vehicle!.id);
    expect(ids.issued.slice(issued)).toEqual([found.vehicleId]);
  });

  it.each([
    ['materialized path', Folder],
    ['closure table', Category],
    ['nested set', Region],
  ])('serves a tree kept as %s', async (_, Node) => {
    const trees = dataSource.getTreeRepository<Folder | Category | Region>(Node);
    const root = await trees.save({ children: [new Node(), new Node()] });
    const leaf = await trees.save({ parent: root.children[0]! });

    const found = await trees.findDescendantsTree(await trees.findOneByOrFail({ id: root.id }));

    expect(found.children!.map(({ id }) => id).toSorted()).toEqual(
      root.children.map(({ id }) => id).toSorted(),
    );
    expect(ids.issued).toEqual(expect.arrayContaining([root.id, leaf.id]));
    await expect(trees.countAncestors(await trees.findOneByOrFail({ id: leaf.id }))).resolves.toBe(3);
  });

  it('serves an EntitySchema', async () => {
    const note = await dataSource
      .getRepository(NoteSchema)
      .save({ text: 'hello', orderId: '1800000000000000077' });

    expect(note.id).toBe(ids.issued.at(-1));
    await expect(dataSource.getRepository(NoteSchema).findOneByOrFail({ id: note.id })).resolves.toEqual(
      note,
    );
  });

  it('loads lazy relations, of unsaved entities too', async () => {
    const albums = dataSource.getRepository(Album);
    const album = albums.create();
    await expect(album.photos).resolves.toEqual([]);
    album.photos = Promise.resolve([dataSource.getRepository(Photo).create()]);

    const { id } = await albums.save(album);

    const found = await albums.findOneByOrFail({ id });
    const [photo] = await found.photos;
    expect(photo).toHaveProperty('id', (await album.photos)[0]!.id);
    expect(ids.issued).toContain(photo!.id);
  });
});
