/** Name of the instance that issues a column's IDs unless the column names another one. */
export const DEFAULT_INSTANCE = 'default';

/** What generates the IDs of a column: an ID maker by the name of its instance, or segments by their tag. */
export interface IdSourceName {
  readonly kind: 'maker' | 'segment';
  readonly name: string;
}
