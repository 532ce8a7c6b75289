/** The part of a model of a Prisma schema that the library uses. */
export interface SnowflakeModel {
  /** Name of the table in the database. */
  readonly table: string;
  /** Name of its schema, if the model names one. */
  readonly schema?: string;
  /** The fields that get IDs, with the names of their columns. */
  readonly keys: Readonly<Record<string, string>>;
  /** The fields that hold the ID of another row, with the names of their columns. */
  readonly references: Readonly<Record<string, string>>;
  /** The fields that are relations, with the names of their models. */
  readonly relations: Readonly<Record<string, string>>;
}

/** The models of a Prisma schema, as the generator `nestjs-snowflake-prisma` writes them into a file. */
export interface SnowflakeModels {
  /** The database, as the `datasource` of the schema names it: `postgresql`, `mysql`, … */
  readonly provider: string;
  readonly models: Readonly<Record<string, SnowflakeModel>>;
}
