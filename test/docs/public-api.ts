import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './markdown.js';

/** What an entry point of the library exports, by its API report, which `.ci/run` keeps current. */
export class PublicApi {
  private readonly report: string;

  /** @param entryPoint such as `standalone` */
  constructor(entryPoint: string) {
    this.report = readFileSync(join(ROOT, 'libs/snowflake/api', `${entryPoint}.api.md`), 'utf8');
  }

  /** Names of the members of an interface or a class. */
  membersOf(name: string): string[] {
    const members = [...this.declarationOf(name).matchAll(/^ {4}(?:readonly |get )?(\w+)(?=[?(:<])/gm)];
    return members.map(([, member = '']) => member).filter((member) => member !== 'constructor');
  }

  /** Every text that a union of texts allows. */
  textsOf(name: string): string[] {
    return textsIn(this.declarationOf(name));
  }

  /** The members of a union of objects with a discriminant `type`: by its value, the other fields with their texts. */
  variantsOf(name: string): Map<string, Map<string, string[]>> {
    const variants = [...this.declarationOf(name).matchAll(/^(?:\} )?(?:export|\|).*\{\n((?: {4}.*\n)+)/gm)];
    const variant = ([, body = '']: RegExpMatchArray): [string, Map<string, string[]>] => {
      const fields = new Map(
        [...body.matchAll(/^ {4}readonly (\w+)\??: (.*);$/gm)].map(([, field = '', type = '']) => [
          field,
          textsIn(type),
        ]),
      );
      const [type = ''] = fields.get('type') ?? [];
      fields.delete('type');
      return [type, fields];
    };
    return new Map(variants.map(variant));
  }

  private declarationOf(name: string): string {
    const declaration = new RegExp(`^export (?:interface|class|type) ${name}\\b[\\s\\S]*?\\n(?=\\n)`, 'm');
    const [text] = declaration.exec(this.report) ?? [];
    if (text === undefined) throw new Error(`The report has no ${name}`);
    return text;
  }
}

function textsIn(type: string): string[] {
  return [...type.matchAll(/'([^']+)'/g)].map(([, text = '']) => text);
}
