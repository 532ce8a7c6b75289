import { SeriesNumber } from 'nestjs-snowflake-series';
import { SnowflakeId } from 'nestjs-snowflake/typeorm';
import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** A row without a number, and with the database's own key. */
@Entity('counted_documents')
export class CountedDocument {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: 'varchar', length: 20 })
  tenantId!: string;
}

/** A row without a number, and with a Snowflake ID. */
@Entity('plain_documents')
export class PlainDocument {
  @SnowflakeId()
  id!: string;

  @Column({ type: 'varchar', length: 20 })
  tenantId!: string;
}

/** A row without a number, and with a key from a segment. */
@Entity('segment_documents')
export class SegmentDocument {
  @PrimaryColumn('bigint')
  id!: string;

  @Column({ type: 'varchar', length: 20 })
  tenantId!: string;
}

/** A row with a Snowflake ID and the number of a series. */
@Entity('numbered_documents')
export class NumberedDocument {
  @SnowflakeId()
  id!: string;

  @Column({ type: 'varchar', length: 20 })
  tenantId!: string;

  @Column({ type: 'varchar', length: 10 })
  issuedOn!: string;

  @SeriesNumber<NumberedDocument>({
    series: 'document',
    format: 'D-{year}-{number:6}',
    resets: 'year',
    zone: 'Europe/Berlin',
    scope: 'tenantId',
    date: 'issuedOn',
  })
  number!: string;
}

/** One way to insert a document. */
export interface Way {
  readonly name: string;
  readonly entity: new () => object;
  /** How many scopes the documents have. */
  readonly scopes: number;
  /** Whether its key comes from a segment. */
  readonly hasSegmentKey?: true;
}

export const WAYS: readonly Way[] = [
  { name: 'Auto-increment', entity: CountedDocument, scopes: 1 },
  { name: 'Segments', entity: SegmentDocument, scopes: 1, hasSegmentKey: true },
  { name: 'Snowflake ID', entity: PlainDocument, scopes: 1 },
  { name: 'With a series, one scope', entity: NumberedDocument, scopes: 1 },
  { name: 'With a series, 8 scopes', entity: NumberedDocument, scopes: 8 },
];

export const ENTITIES = [CountedDocument, SegmentDocument, PlainDocument, NumberedDocument];
