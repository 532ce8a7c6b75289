import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsArray, IsBoolean, IsIn, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';

/** What the help of a program shows about an environment variable. */
export interface VariableDescription {
  readonly name: string;
  /** Which values it can have. */
  readonly values: string;
  /** What it decides, as a sentence. */
  readonly purpose: string;
}

const DESCRIPTIONS = 'environment: descriptions';

/** Returns the described variables of a class, those of its base class first. */
export function describedVariables(environment: new () => object): readonly VariableDescription[] {
  return (Reflect.getMetadata(DESCRIPTIONS, environment.prototype as object) ?? []) as VariableDescription[];
}

function described(values: string, purpose: string, ...checks: PropertyDecorator[]): PropertyDecorator {
  const describe: PropertyDecorator = (target, name) => {
    const before = (Reflect.getMetadata(DESCRIPTIONS, target) ?? []) as VariableDescription[];
    Reflect.defineMetadata(DESCRIPTIONS, [...before, { name: String(name), values, purpose }], target);
  };
  // A variable without a default is undefined. The others never are.
  return applyDecorators(describe, IsOptional(), ...checks);
}

/** A whole number in digits. */
export function WholeNumber(min: number, max: number, purpose: string): PropertyDecorator {
  const message = `$property must be a whole number from ${min} to ${max}`;
  return described(
    `${min} to ${max}`,
    purpose,
    // Converts digits only: a blank would become 0, which could be another process's worker ID.
    Transform(({ value }: { value: unknown }) => (/^\d+$/.test(String(value)) ? Number(value) : value)),
    IsInt({ message }),
    Min(min, { message }),
    Max(max, { message }),
  );
}

/** `true` or `false`. */
export function Switch(purpose: string): PropertyDecorator {
  return described(
    'true, false',
    purpose,
    Transform(({ value }: { value: unknown }) =>
      value === 'true' ? true : value === 'false' ? false : value,
    ),
    IsBoolean({ message: '$property must be true or false' }),
  );
}

/** One of a few words. */
export function Choice(choices: readonly string[], purpose: string): PropertyDecorator {
  return described(choices.join(', '), purpose, IsIn([...choices]));
}

/** Any text, such as a path or a name. */
export function Text(values: string, purpose: string): PropertyDecorator {
  return described(values, purpose, IsString());
}

/** A text of a form. The message says which, and never repeats the value, which can be a secret. */
export function TextLike(
  form: RegExp,
  values: string,
  purpose: string,
  message = `$property must be ${values}`,
): PropertyDecorator {
  return described(values, purpose, Matches(form, { message }));
}

/** Different names, separated by commas. */
export function Names(form: RegExp, values: string, purpose: string): PropertyDecorator {
  const message = `$property must be ${values}, separated by commas, none of them twice`;
  const isList = (text: unknown): boolean => {
    const names = String(text).split(',');
    return names.every((name) => form.test(name)) && new Set(names).size === names.length;
  };
  return described(
    `${values}, separated by commas`,
    purpose,
    // What is no list stays a text, which the check refuses.
    Transform(({ value }: { value: unknown }) => (isList(value) ? String(value).split(',') : value)),
    IsArray({ message }),
  );
}
