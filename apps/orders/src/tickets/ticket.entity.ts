import { SegmentId, SnowflakeColumn } from 'nestjs-snowflake/typeorm';
import { Column, Entity } from 'typeorm';

/** A support ticket. People read its number over the phone, so it's short. It's no secret how many there are. */
@Entity('tickets')
export class Ticket {
  @SegmentId('ticket')
  number!: string;

  @SnowflakeColumn()
  customerId!: string;

  @Column({ type: 'varchar', length: 200 })
  subject!: string;
}
