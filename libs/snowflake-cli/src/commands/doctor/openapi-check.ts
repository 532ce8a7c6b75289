import { readFile } from 'node:fs/promises';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { reasonOf } from '../../frame/report-error.js';
import { type Examination, finding } from './findings.js';
import { ID_NAME } from './id-name.js';

/** More names say no more. */
const MAX_NAMES = 20;

/**
 * Finds IDs that an OpenAPI document declares as numbers: clients that are generated from it round them.
 *
 * @param reference value of `--openapi`: a file, or the URL at which the app serves the document
 * @throws InvalidOptionError if it can't be read, or is no OpenAPI document in JSON
 */
export async function examineOpenApi(reference: string, timeoutMs: number): Promise<Examination> {
  const names = [...new Set(numericIds(await loadDocument(reference, timeoutMs)))];
  const shown = names.slice(0, MAX_NAMES).join(', ');
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '';
  const problem = `OpenAPI declares IDs as numbers, which generated clients round: ${shown}${more}.`;
  return { findings: names.length === 0 ? [] : [finding('OPENAPI_NUMBER', problem)], examined: ['openapi'] };
}

async function loadDocument(reference: string, timeoutMs: number): Promise<object> {
  try {
    const document: unknown = JSON.parse(
      /^https?:/.test(reference) ? await fetched(reference, timeoutMs) : await readFile(reference, 'utf8'),
    );
    if (isObject(document) && ('openapi' in document || 'swagger' in document)) return document;
  } catch (error) {
    throw refusal(reference, `can't be read: ${reasonOf(error)}`);
  }
  throw refusal(reference, 'is not an OpenAPI document');
}

async function fetched(url: string, timeoutMs: number): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`the server responds with ${response.status}`);
  return response.text();
}

function refusal(reference: string, problem: string): InvalidOptionError {
  const remedy = 'Pass a JSON file, or the URL of the running app, e.g. http://localhost:3000/api-json.';
  // A URL can hold a password.
  return new InvalidOptionError('--openapi', reference.replace(/\/\/[^/@]*@/, '//'), problem, remedy);
}

/** Returns the properties and parameters that have the name of an ID and the type of a number. */
function numericIds(node: unknown, path: readonly string[] = []): string[] {
  if (!isObject(node)) return [];
  const found: string[] = [];
  const { properties, name, in: place, schema = node } = node;
  for (const [property, type] of Object.entries(isObject(properties) ? properties : {}))
    if (ID_NAME.test(property) && isNumber(type)) found.push(`${placeOf(path)}.${property}`);
  if (typeof name === 'string' && typeof place === 'string' && ID_NAME.test(name) && isNumber(schema))
    found.push(`${placeOf(path)} ${name}`);
  return [...found, ...Object.entries(node).flatMap(([key, value]) => numericIds(value, [...path, key]))];
}

/** Also looks into arrays, and into alternatives such as null. */
function isNumber(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, items, anyOf, oneOf, allOf } = schema;
  if ([type].flat().some((each) => each === 'integer' || each === 'number')) return true;
  return [items, anyOf, oneOf, allOf].flat().some(isNumber);
}

/** Returns the name of a schema, or the method and path of a request. */
function placeOf([first = '', second = '', third = '', ...rest]: readonly string[]): string {
  if (first === 'paths') return `${third.toUpperCase()} ${second}`;
  const depth = rest.filter((part) => part !== 'properties' && part !== 'items');
  return [first === 'components' ? third : second, ...(first === 'components' ? depth : [])].join('.');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
