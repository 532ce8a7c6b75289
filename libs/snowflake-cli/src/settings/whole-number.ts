import { Option } from 'commander';
import { InvalidOptionError } from 'nestjs-snowflake/core';

/** Returns an option for a whole number. Its user checks the bounds. */
export function wholeNumberOption(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser((text) => {
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw new InvalidOptionError(
      option.long ?? flags,
      text,
      'is not a whole number',
      'Use decimal digits only.',
    );
  });
}
