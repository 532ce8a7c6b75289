import type { Source } from 'nestjs-snowflake/internal/setup/source';
import type { ts } from 'nestjs-snowflake/internal/setup/typescript';
import { isIdName } from './id-name.js';

/** Numbers that this library itself calls IDs. */
const SMALL = new Set(['workerId', 'datacenterId', 'processId']);
const RELATIONS = new Set(['ManyToOne', 'OneToOne']);

/**
 * Which names in the sources of an app mean Snowflake IDs. If its TypeORM entities have Snowflake keys, only what they declare counts, since
 * the other IDs of such an app can be numbers. Otherwise every ID counts.
 */
export class KeyKinds {
  /** Names of entities, in lower case. */
  private readonly snowflake = new Set<string>();
  private readonly counted = new Set<string>();
  /** Names of columns and relations without their `Id`, in lower case. */
  private readonly columns = new Set<string>();
  private readonly targets = new Map<string, string>();

  constructor(sources: readonly Source[]) {
    for (const source of sources) {
      for (const node of source.nodes()) {
        if (source.ts.isClassDeclaration(node) && node.name)
          this.learn(source, node, entityOf(node.name.text));
      }
    }
  }

  /**
   * Returns whether a name means a Snowflake ID, as far as the sources show.
   *
   * @param owner the class in which it stands, such as `OrdersController`
   */
  isSnowflake(name: string, owner: string): boolean {
    if (!isIdName(name) || SMALL.has(name)) return false;
    const stem = stemOf(name);
    if (stem === '') return this.isKeyIn(owner.toLowerCase());
    if (this.counted.has(stem)) return false;
    return this.snowflake.size === 0 || this.isDeclared(stem);
  }

  /** An `id` belongs to the entity that its class is named after. */
  private isKeyIn(owner: string): boolean {
    const isNamed = (entity: string) => owner.includes(entity);
    if (this.counted.size === 0) return true;
    return [...this.snowflake].some(isNamed) && ![...this.counted].some(isNamed);
  }

  private isDeclared(stem: string): boolean {
    return (
      this.snowflake.has(stem) || this.columns.has(stem) || this.snowflake.has(this.targets.get(stem) ?? '')
    );
  }

  private learn(source: Source, declaration: ts.ClassDeclaration, entity: string): void {
    for (const member of declaration.members) {
      const stem = stemOf(member.name?.getText() ?? '');
      for (const { name, call } of decoratorsOf(source, member)) {
        const given = call?.arguments[0]?.getText() ?? '';
        if (name === 'SnowflakeId') this.snowflake.add(entity);
        if (name === 'SnowflakeColumn') this.columns.add(stem);
        if (name === 'PrimaryGeneratedColumn' && !/^['"](uuid|rowid)['"]$/.test(given))
          this.counted.add(entity);
        if (RELATIONS.has(name)) this.targets.set(stem, entityOf(given.replace(/^.*=>\s*/, '')));
      }
    }
  }
}

function entityOf(className: string): string {
  return className.toLowerCase().replace(/entity$/, '');
}

function stemOf(name: string): string {
  return name.replace(/_?ids?$/i, '').toLowerCase();
}

/** A decorator of a node. */
export interface DecoratorOf {
  /** Without the namespace of an import. */
  readonly name: string;
  readonly call: ts.CallExpression | undefined;
}

/** Returns the decorators of a node. */
export function decoratorsOf({ ts }: Source, node: ts.Node): readonly DecoratorOf[] {
  if (!ts.canHaveDecorators(node)) return [];
  return (ts.getDecorators(node) ?? []).map(({ expression }) => {
    const call = ts.isCallExpression(expression) ? expression : undefined;
    const callee = call?.expression ?? expression;
    return { name: ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText(), call };
  });
}
