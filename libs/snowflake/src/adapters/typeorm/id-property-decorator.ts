/** A decorator of properties that hold an ID. A property of type `number` or `bigint` does not compile. */
export interface IdPropertyDecorator {
  /** Accepts every property that can hold a string. */
  <Key extends string | symbol>(
    target: { readonly [Property in Key]?: string | null | undefined },
    property: Key,
  ): void;
  /** Accepts the private and protected properties, which the compiler doesn't list, and refuses numbers. */
  <Target extends object, Key extends string | symbol>(
    target: Target,
    // The compiler shows this text where it refuses a property.
    property: Target extends { readonly [Property in Key]?: number | bigint | null | undefined }
      ? 'must be a property of type string'
      : Key,
  ): void;
}
