import type { Clock } from '../clock/clock.js';
import { InvalidOptionError } from '../errors/input-errors.js';
import { redact } from '../errors/show-value.js';
import {
  requireBoolean,
  requireChoice,
  requireClock,
  requireFunction,
  requireMethods,
  requireOptions,
  requireWholeNumber,
} from './option-checks.js';

/** Returns a value that fits. @throws InvalidOptionError that names the option */
type Check<Value> = (option: string, value: unknown) => Value;

/** Declares one option: how a given value is checked, and the value without one. */
export class OptionRule<Value> {
  constructor(
    readonly check: Check<Value>,
    /** Bounds of a number, both included. */
    readonly bounds?: { readonly min: number; readonly max: number },
    readonly defaultValue?: Value,
  ) {}

  /** Returns a rule of an option that may be left out, and then has this value. */
  or(defaultValue: Value): OptionRule<Value> {
    const check: Check<Value> = (option, value) =>
      value === undefined ? defaultValue : this.check(option, value);
    return new OptionRule(check, this.bounds, defaultValue);
  }

  /** Returns a rule of an option that may be left out, and has no default. */
  optional(): OptionRule<Value | undefined> {
    return new OptionRule<Value | undefined>(this.check, this.bounds).or(undefined);
  }
}

/**
 * The rules of all options of an object. Declare them with `satisfies OptionRules<Options>`, so that the compiler refuses a
 * table that lacks an option, or has a rule of another type.
 */
export type OptionRules<Options> = {
  readonly [Name in keyof Options]-?: OptionRule<Options[Name] | undefined>;
};

/** Options that were checked, with the defaults filled in. */
export type Checked<Rules> = {
  readonly [Name in keyof Rules]: Rules[Name] extends OptionRule<infer Value> ? Value : never;
};

/**
 * Checks an object of options: that it is one, has no unknown name, and that each value keeps its rule.
 *
 * @param group the option that holds the object, whose name precedes that of an option in errors: `lease.windowMs`.
 * `options` precedes none
 * @param elsewhere options of other groups that users put here by mistake, e.g. `lease.windowMs`
 * @returns the options with the defaults filled in
 * @throws InvalidOptionError
 */
export function checkedOptions<Rules extends Readonly<Record<string, OptionRule<unknown>>>>(
  group: string,
  options: unknown,
  rules: Rules,
  elsewhere: readonly string[] = [],
): Checked<Rules> {
  requireOptions(group, options, rules, elsewhere);
  return checkedValues(group, options as object, rules);
}

/** Does the same for an object that may have other properties, too. @throws InvalidOptionError */
export function checkedValues<Rules extends Readonly<Record<string, OptionRule<unknown>>>>(
  group: string,
  options: object,
  rules: Rules,
): Checked<Rules> {
  const prefix = group === 'options' ? '' : `${group}.`;
  const given = options as Readonly<Record<string, unknown>>;
  const checked = Object.entries(rules).map(([name, { check }]) => [name, check(prefix + name, given[name])]);
  return Object.fromEntries(checked) as Checked<Rules>;
}

/** Returns the rule of an option with its own check. */
export function checkedBy<Value>(check: Check<Value>): OptionRule<Value> {
  return new OptionRule(check);
}

/** Returns the rule of an option that is checked together with others, later. */
export function unchecked<Value>(): OptionRule<Value> {
  return new OptionRule((_, value) => value as Value);
}

/** Returns the rule of a whole number within these bounds, both included. */
export function wholeNumber(min: number, max: number): OptionRule<number> {
  return new OptionRule((option, value) => requireWholeNumber(option, value, min, max), { min, max });
}

/** One of several texts. */
export function oneOf<Choice extends string>(...choices: readonly Choice[]): OptionRule<Choice> {
  return new OptionRule((option, value) => requireChoice(option, value, choices));
}

/** `true` or `false`. */
export function flag(): OptionRule<boolean> {
  return new OptionRule(requireBoolean);
}

/**
 * Returns the rule of a value that fits a test.
 *
 * @param problem what is wrong with another value, as the end of a sentence that starts with the option's name
 * @param remedy what to do about it, as a full sentence
 */
export function fitting<Value>(
  fits: (value: unknown) => value is Value,
  problem: string,
  remedy: string,
): OptionRule<Value> {
  return new OptionRule((option, value) => {
    if (fits(value)) return value;
    throw new InvalidOptionError(option, value, problem, remedy);
  });
}

/** Returns the rule of a value that fits a test and can be a secret, or contain one. Errors don't show it. */
export function secretFitting<Value>(
  fits: (value: unknown) => value is Value,
  problem: string,
  remedy: string,
): OptionRule<Value> {
  return new OptionRule((option, value) => {
    if (fits(value)) return value;
    throw new InvalidOptionError(option, redact(value), problem, remedy);
  });
}

/** Returns the rule of a string that has this form. The texts are those of {@link fitting}. */
export function text(form: RegExp, problem: string, remedy: string): OptionRule<string> {
  return fitting((value): value is string => typeof value === 'string' && form.test(value), problem, remedy);
}

/** A function. */
export function callback<Callback extends (...given: never[]) => unknown>(): OptionRule<Callback> {
  return new OptionRule((option, value) => requireFunction(option, value as Callback));
}

/** Returns the rule of an object with these methods. Errors don't show it. */
export function withMethods<Given extends object>(
  remedy: string,
  ...methods: readonly (keyof Given & string)[]
): OptionRule<Given> {
  return new OptionRule((option, value) => requireMethods(option, value as Given, methods, remedy));
}

/** Returns the rule of a clock with these methods. */
export function clockWith<Given extends Pick<Clock, 'now'> = Pick<Clock, 'now'>>(
  ...methods: readonly (keyof Given & string)[]
): OptionRule<Given> {
  return new OptionRule((option, value) => requireClock(option, value as Given, methods));
}
