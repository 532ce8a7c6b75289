import ts from 'typescript';
import { DoorExports, sourceDoors } from './reference/doors.js';
import { type ErrorFacts, errorsOf } from './reference/error-facts.js';

/** What the compiler knows of the library's exports. */
export class LibraryTypes {
  private readonly exports: DoorExports;
  private readonly checker: ts.TypeChecker;

  /** @param door the only one to read, which is quicker. Default: all */
  constructor(door?: string) {
    this.exports = new DoorExports(sourceDoors().filter(({ name }) => door === undefined || name === door));
    this.checker = this.exports.checker;
  }

  /** Names of the public members of an exported interface or class, inherited ones included. */
  membersOf(name: string): string[] {
    return (
      this.instanceType(name)
        .getProperties()
        .filter(isPublic)
        .map(({ name: own }) => own)
        // A symbol has a name of the compiler's own.
        .filter((own) => !own.startsWith('__@'))
    );
  }

  /** Every text that an exported union of texts allows. */
  textsOf(name: string): string[] {
    return textsIn(this.instanceType(name));
  }

  /** The members of an exported union of objects that `type` tells apart: by that text, the names of the others. */
  variantsOf(name: string): Map<string, string[]> {
    const type = this.instanceType(name);
    const variants = type.isUnion() ? type.types : [type];
    return new Map(
      variants.map((variant) => {
        const members = variant.getProperties();
        const [text] = this.textOf(variant, 'type');
        if (text === undefined) throw new Error(`A member of ${name} has no type`);
        return [text, members.map(({ name: own }) => own).filter((member) => member !== 'type')];
      }),
    );
  }

  /** Every text that a field of such a member allows. */
  textsOfVariant(name: string, type: string, field: string): string[] {
    const union = this.instanceType(name);
    const texts = (union.isUnion() ? union.types : [union])
      .filter((variant) => this.textOf(variant, 'type').includes(type))
      .flatMap((variant) => this.textOf(variant, field));
    return [...new Set(texts)];
  }

  /** All error classes that can be instantiated. */
  errors(): ErrorFacts[] {
    return errorsOf(this.exports);
  }

  private textOf(type: ts.Type, member: string): string[] {
    const property = type.getProperty(member);
    const value = property && this.checker.getTypeOfSymbol(property);
    return value ? textsIn(value) : [];
  }

  private instanceType(name: string): ts.Type {
    return this.checker.getDeclaredTypeOfSymbol(this.exports.named(name));
  }
}

function isPublic({ valueDeclaration }: ts.Symbol): boolean {
  const name = valueDeclaration && ts.getNameOfDeclaration(valueDeclaration);
  if (name && ts.isPrivateIdentifier(name)) return false;
  const modifiers = valueDeclaration ? ts.getCombinedModifierFlags(valueDeclaration) : 0;
  return (modifiers & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) === 0;
}

function textsIn(type: ts.Type): string[] {
  return (type.isUnion() ? type.types : [type]).flatMap((text) =>
    text.isStringLiteral() ? [text.value] : [],
  );
}
