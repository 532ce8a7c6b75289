import { Expose } from 'class-transformer';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { SnowflakeColumn, SnowflakeId } from 'nestjs-snowflake/typeorm';
import { Column, Entity, ManyToOne, type Relation, ViewColumn, ViewEntity } from 'typeorm';

const decoder = new IdDecoder(new BitLayout());

@Entity()
export class Device {
  @SnowflakeId() id!: string;
}

/** Its own ID, one of another instance, one that somebody else made, and one in a relation. */
@Entity()
export class Reading {
  @SnowflakeId() id!: string;

  @SnowflakeId({ primary: false, instance: 'audit', name: 'trace_id' }) traceId!: string;

  @SnowflakeColumn({ nullable: true }) causeId!: string | null;

  @Column({ type: 'int', default: 0 }) celsius!: number;

  @ManyToOne(() => Device) device?: Relation<Device>;

  @Expose()
  get createdAt(): Date | undefined {
    return this.id === undefined ? undefined : decoder.decode(this.id).timestamp;
  }
}

@Entity()
export class TextReading {
  @SnowflakeId({ type: 'varchar' }) id!: string;

  @SnowflakeColumn({ type: 'varchar', nullable: true }) causeId!: string | null;
}

/** Its ID is computed, and has no column from which a database could take the type of what it is compared with. */
@ViewEntity({
  name: 'latest_reading',
  expression: (dataSource) =>
    dataSource
      .createQueryBuilder()
      .select('reading.celsius', 'celsius')
      .addSelect('MAX(reading.id)', 'lastId')
      .from(Reading, 'reading')
      .groupBy('reading.celsius'),
})
export class LatestReading {
  @ViewColumn() celsius!: number;

  @ViewColumn() lastId!: string;
}

export const EVENTS = [Device, Reading, TextReading];
