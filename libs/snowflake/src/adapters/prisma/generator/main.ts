#!/usr/bin/env node
/** The generator of Prisma. Prisma starts it, writes calls to its standard input, and reads answers from its standard error. */
import process from 'node:process';
import { createInterface } from 'node:readline';
import { answerTo } from './protocol.js';

const FOR_PEOPLE = `This program is for "prisma generate": add it to schema.prisma as the provider of a generator.
The command line of nestjs-snowflake is a separate package: npx nestjs-snowflake-cli --help
`;

// Without that package, "npx nestjs-snowflake" starts this program.
if (process.stdin.isTTY || process.argv.length > 2) {
  process.stderr.write(FOR_PEOPLE);
  process.exit(1);
} else {
  createInterface({ input: process.stdin }).on('line', (line) => process.stderr.write(`${answerTo(line)}\n`));
}
