import { SeriesNumber } from 'nestjs-snowflake-series';
import {
  ChildEntity,
  Column,
  Entity,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  TableInheritance,
} from 'typeorm';
import { RULES } from './invoices.js';

/*
 * Entities whose numbers stand elsewhere than in a column of their own: in embedded objects, in classes of single table inheritance, on a
 * table of two entities, or with a scope that reads a relation.
 */

class Paper {
  @Column({ type: 'varchar', length: 10 })
  issuedOn!: string;

  @SeriesNumber<Bill & Paper>({
    ...RULES,
    series: 'bill',
    format: '{field:branch}-{year}-{number}',
    scope: ({ tenantId }) => tenantId,
    date: 'issuedOn',
    document: ({ key }) => key,
  })
  number!: string;
}

class Papers {
  @Column(() => Paper)
  original!: Paper;
}

@Entity('bills')
export class Bill {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: 'varchar', length: 20 })
  key!: string;

  @Column({ type: 'varchar', length: 20 })
  tenantId!: string;

  @Column({ type: 'varchar', length: 20 })
  branch!: string;

  @Column(() => Papers)
  papers!: Papers;
}

@Entity('letters')
@TableInheritance({ column: { type: 'varchar', name: 'type' } })
export class Letter {
  @PrimaryGeneratedColumn()
  id!: number;

  @SeriesNumber({ ...RULES, series: 'letter' })
  number!: string;
}

@ChildEntity()
export class Reminder extends Letter {
  @SeriesNumber({ ...RULES, series: 'fee', format: 'FEE-{year}-{number}' })
  fee!: string;
}

@ChildEntity()
export class Notice extends Letter {
  @SeriesNumber({ ...RULES, series: 'fee', format: 'FEE-{year}-{number}' })
  fee!: string;
}

@ChildEntity()
export class Urgent extends Reminder {}

/** Two entities on one table. */
@Entity('copies')
export class Copy {
  @PrimaryGeneratedColumn()
  id!: number;

  @SeriesNumber({ ...RULES, series: 'copy' })
  number!: string;
}

@Entity('copies')
export class CopyAgain extends Copy {}

@Entity('tenants')
export class Tenant {
  @PrimaryColumn({ type: 'varchar', length: 20 })
  id!: string;

  @Column({ type: 'varchar', length: 20 })
  country!: string;
}

@Entity('claims')
export class Claim {
  @PrimaryGeneratedColumn()
  id!: number;

  @ManyToOne(() => Tenant)
  tenant!: Tenant;

  @Column({ type: 'varchar', length: 20, select: false })
  kind!: string;

  @SeriesNumber<Claim>({ ...RULES, series: 'claim', scope: ({ tenant, kind }) => `${tenant.id}:${kind}` })
  number!: string;

  @SeriesNumber<Claim>({ ...RULES, series: 'claim-by-country', scope: ({ tenant }) => tenant.country })
  byCountry!: string;
}

class Stamp {
  @SeriesNumber({ ...RULES, series: 'stamp', format: 'S-{year}-{number}' })
  number!: string;
}

@ChildEntity()
export class Parcel extends Letter {
  @Column(() => Stamp)
  stamp!: Stamp;
}

let key = 0;

export function bill(issuedOn = '2026-06-30'): Bill {
  return Object.assign(new Bill(), {
    key: `key-${(key += 1)}`,
    tenantId: 'acme',
    branch: 'B7',
    papers: Object.assign(new Papers(), { original: Object.assign(new Paper(), { issuedOn }) }),
  });
}

export const UNCOMMON_ENTITIES = [
  Bill,
  Letter,
  Reminder,
  Urgent,
  Notice,
  Parcel,
  Copy,
  CopyAgain,
  Tenant,
  Claim,
];
