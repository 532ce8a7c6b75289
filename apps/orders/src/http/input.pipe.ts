import { type ArgumentMetadata, BadRequestException, Injectable, type PipeTransform } from '@nestjs/common';

const NUL = '\0';
const DEEPEST = 20;

/**
 * Responds with 400 to input that DTO validation would catch too late: a NUL character in a string, which PostgreSQL
 * can't store, and a body nested so deeply that converting it to a DTO would overflow the stack.
 */
@Injectable()
export class InputPipe implements PipeTransform<unknown, unknown> {
  transform(value: unknown, { data = '' }: ArgumentMetadata): unknown {
    const problem = problemOf(value, data);
    if (problem === undefined) return value;
    throw new BadRequestException([problem]);
  }
}

/** Iterates, because recursion could overflow the stack. */
function problemOf(given: unknown, name: string): string | undefined {
  const left = [{ value: given, path: name, depth: 0 }];
  for (let part = left.pop(); part; part = left.pop()) {
    const { value, path, depth } = part;
    if (typeof value === 'string' && value.includes(NUL))
      return `${path} must not contain the NUL character (U+0000)`;
    if (typeof value !== 'object' || value === null) continue;
    if (depth === DEEPEST) return `The request must not be nested deeper than ${DEEPEST} levels`;
    for (const [key, member] of Object.entries(value)) {
      left.push({ value: member as unknown, path: path === '' ? key : `${path}.${key}`, depth: depth + 1 });
    }
  }
  return undefined;
}
