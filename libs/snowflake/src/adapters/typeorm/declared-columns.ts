import { getMetadataArgsStorage, type EntityMetadata } from 'typeorm';
import { sharedByOtherVersions, sharedInProcess } from '../../core/process-memory.js';
import { otherVersion } from '../../kit/database-adapters.js';

/** A column, as TypeORM describes it. */
export type ColumnMetadata = EntityMetadata['columns'][number];

type Marks<Mark> = ReadonlyMap<string | symbol, Mark>;

/** Knows the columns that decorators and schemas declare, and the mark that tells what each column holds. */
export class DeclaredColumns<Mark> {
  /** By the class that declares a column, or the name of a schema without a class. Inherited and embedded columns keep it. */
  private readonly declared: Map<unknown, Marks<Mark>>;

  /** @param name the name under which all copies of this version share the columns in the process */
  constructor(private readonly name: string) {
    this.declared = sharedInProcess(name, () => new Map<unknown, Marks<Mark>>());
  }

  add(target: unknown, property: string | symbol, mark: Mark): void {
    this.declared.set(target, new Map([...this.declaredBy(target), [property, mark]]));
  }

  /** Returns what a class or schema declares itself, by its properties. */
  declaredBy(target: unknown): Marks<Mark> {
    return this.declared.get(target) ?? new Map<string | symbol, Mark>();
  }

  /** Returns the mark of a column; undefined for a column that is not declared here. */
  markOf({ target, propertyName }: ColumnMetadata): Mark | undefined {
    return this.declaredBy(target).get(propertyName);
  }

  /**
   * Returns the mark of a column in the rows of an entity. In single-table inheritance, a parent also lists the columns of its
   * children, which its own rows leave empty, and siblings share a column, whose target is one of them.
   */
  markIn(metadata: EntityMetadata, column: ColumnMetadata): Mark | undefined {
    const { embeddedMetadata, propertyName, target } = column;
    if (embeddedMetadata) return isEmbeddedIn(metadata, column) ? this.markOf(column) : undefined;
    if (typeof metadata.target !== 'function' || typeof target !== 'function') return this.markOf(column);
    for (const declaring of lineageOf(metadata.target)) {
      const mark = this.declaredBy(declaring).get(propertyName);
      if (mark || declaring === target) return mark;
    }
    return undefined;
  }

  /** Refuses an entity with a column that another version of the library has declared: it would stay empty. @throws InvalidOptionError */
  requireOneVersion({ name, columns }: EntityMetadata): void {
    for (const { version, shared } of sharedByOtherVersions(this.name)) {
      const theirs = shared as ReadonlyMap<unknown, Marks<unknown>>;
      const column = columns.find(({ target, propertyName }) => theirs.get(target)?.has(propertyName));
      if (column) throw otherVersion(version, `${name}.${column.propertyPath}`);
    }
  }
}

/** Returns a class and its parents; nothing for the name of an EntitySchema. */
export function lineageOf(target: unknown): unknown[] {
  const lineage: unknown[] = [];
  for (let each = target; typeof each === 'function'; each = Object.getPrototypeOf(each)) lineage.push(each);
  return lineage;
}

/** The parent in single-table inheritance also lists the embedded objects of its children, which its rows don't have. */
function isEmbeddedIn(metadata: EntityMetadata, { embeddedMetadata }: ColumnMetadata): boolean {
  const outermost = embeddedMetadata?.embeddedMetadataTree[0];
  const declaring = getMetadataArgsStorage().embeddeds.filter(
    ({ propertyName, type }) => propertyName === outermost?.propertyName && type() === outermost.type,
  );
  const lineage = lineageOf(metadata.target);
  const isChilds = ({ target }: { readonly target: unknown }): boolean =>
    metadata.childEntityMetadatas.some((child) => lineageOf(child.target).includes(target));
  return !declaring.some(isChilds) || declaring.some(({ target }) => lineage.includes(target));
}
