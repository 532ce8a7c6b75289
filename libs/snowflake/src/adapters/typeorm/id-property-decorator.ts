/** Names the mistake in the message of the compiler. */
export interface PropertyMustHoldAString {
  readonly refused: never;
}

type IsAny<Type> = 0 extends 1 & Type ? true : false;

/** The compiler lists no private and protected properties, so these are checked at class definition only. */
type Refusal<Target, Key> = Key extends keyof Target
  ? IsAny<Target[Key]> extends true
    ? unknown
    : [NonNullable<Target[Key]>] extends [number | bigint]
      ? PropertyMustHoldAString
      : unknown
  : unknown;

/** A decorator of properties that hold an ID. A property of type `number` or `bigint` does not compile. */
export interface IdPropertyDecorator {
  // First, because the other one can't decide on a type parameter, such as that of a branded ID.
  <Key extends string | symbol>(target: { readonly [Property in Key]?: string | null }, property: Key): void;
  <Target extends object, Key extends string | symbol>(
    target: Target,
    property: Key & Refusal<Target, Key>,
  ): void;
}
