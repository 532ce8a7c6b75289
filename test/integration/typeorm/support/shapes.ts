import {
  SnowflakeColumn,
  SnowflakeId,
  snowflakeColumn,
  snowflakeIdColumn,
  snowflakeSchema,
} from 'nestjs-snowflake/typeorm';
import {
  BaseEntity,
  ChildEntity,
  Column,
  Entity,
  EntitySchema,
  JoinColumn,
  ManyToOne,
  OneToMany,
  OneToOne,
  PrimaryColumn,
  TableInheritance,
  Tree,
  TreeChildren,
  TreeParent,
  type Relation,
} from 'typeorm';

export abstract class Traced extends BaseEntity {
  @SnowflakeId() id!: string;

  @SnowflakeId({ primary: false, instance: 'audit', name: 'trace_id', comment: 'for the auditors' })
  traceId!: string;
}

/** Active record on an abstract base, with two generators. */
@Entity()
export class Payment extends Traced {
  @Column({ type: 'int', default: 0 }) cents!: number;
}

export class Receipt {
  @SnowflakeId({ primary: false }) number!: string;

  @Column({ type: 'varchar', length: 20, nullable: true }) note?: string;
}

@Entity()
export class Sale {
  @SnowflakeId({ type: 'varchar' }) id!: string;

  @Column(() => Receipt) receipt!: Receipt;

  @OneToMany(() => Refund, (refund) => refund.sale, { cascade: true })
  refunds?: Relation<Refund[]>;
}

@Entity()
export class Refund {
  @SnowflakeId() id!: string;

  @ManyToOne(() => Sale, (sale) => sale.refunds)
  sale?: Sale;
}

@Entity()
@TableInheritance({ column: { type: 'varchar', length: 20, name: 'kind' } })
export class Vehicle {
  @SnowflakeId() id!: string;

  @Column({ type: 'varchar', length: 20 }) plate!: string;
}

@ChildEntity()
export class Truck extends Vehicle {
  @Column({ type: 'int' }) tons!: number;

  @SnowflakeId({ primary: false }) permit!: string;

  @SnowflakeId({ primary: false }) badge!: string;

  @Column(() => Receipt) toll!: Receipt;
}

@ChildEntity()
export class Van extends Vehicle {
  @Column({ type: 'int' }) seats!: number;

  @SnowflakeId({ primary: false }) badge!: string;
}

@Entity()
export class Translation {
  @SnowflakeId() id!: string;

  @PrimaryColumn({ type: 'varchar', length: 5 }) language!: string;

  @SnowflakeColumn({ primary: true }) authorId!: string;
}

/** Its ID is declared as one to be made, but comes from the relation. */
@Entity()
export class Passport {
  @SnowflakeId() vehicleId!: string;

  @OneToOne(() => Vehicle, { cascade: true })
  @JoinColumn({ name: 'vehicleId' })
  vehicle?: Vehicle;
}

@Entity()
@Tree('materialized-path')
export class Folder {
  @SnowflakeId() id!: string;
  @TreeChildren({ cascade: true }) children?: Folder[];
  @TreeParent() parent?: Relation<Folder> | null;
}

@Entity()
@Tree('closure-table')
export class Category {
  @SnowflakeId() id!: string;
  @TreeChildren({ cascade: true }) children?: Category[];
  @TreeParent() parent?: Relation<Category> | null;
}

@Entity()
@Tree('nested-set')
export class Region {
  @SnowflakeId() id!: string;
  @TreeChildren({ cascade: true }) children?: Region[];
  @TreeParent() parent?: Relation<Region> | null;
}

@Entity()
export class Album {
  @SnowflakeId() id!: string;

  @OneToMany(() => Photo, (photo) => photo.album, { cascade: true })
  photos!: Promise<Photo[]>;
}

@Entity()
export class Photo {
  @SnowflakeId() id!: string;

  @ManyToOne(() => Album, (album) => album.photos)
  album!: Promise<Album>;
}

export interface Note {
  id: string;
  text: string;
  orderId?: string | null;
}

export const NoteSchema = snowflakeSchema(
  new EntitySchema<Note>({
    name: 'Note',
    columns: {
      id: snowflakeIdColumn(),
      text: { type: 'varchar', length: 100 },
      orderId: snowflakeColumn({ nullable: true }),
    },
  }),
);

/** Single table inheritance without a decorator. */
export class Document {
  id!: string;
  kind!: string;
  title!: string;
}

export class Contract extends Document {
  number!: string;
}

const DocumentSchema = snowflakeSchema(
  new EntitySchema<Document>({
    name: 'Document',
    target: Document,
    columns: {
      id: snowflakeIdColumn(),
      kind: { type: 'varchar', length: 20 },
      title: { type: 'varchar', length: 20 },
    },
    inheritance: { pattern: 'STI', column: 'kind' },
  }),
);

const ContractSchema = snowflakeSchema(
  new EntitySchema<Partial<Contract>>({
    name: 'Contract',
    target: Contract,
    type: 'entity-child',
    columns: { number: snowflakeIdColumn({ primary: false }) },
  }),
);

export const SHAPES = [
  DocumentSchema,
  ContractSchema,
  Payment,
  Sale,
  Refund,
  Vehicle,
  Truck,
  Van,
  Translation,
  Passport,
  Folder,
  Category,
  Region,
  Album,
  Photo,
  NoteSchema,
];
