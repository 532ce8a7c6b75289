/** Copies the README of the repository into the package, with absolute links and pictures once the repository has an address. */
import { readFileSync, writeFileSync } from 'node:fs';
import { repositoryUrl } from '../../../scripts/release/publisher.mjs';
import { withAbsoluteLinks } from '../../../scripts/release/readme-links.mjs';

const packageUrl = new URL('../', import.meta.url);
const readme = readFileSync(new URL('../../README.md', packageUrl), 'utf8');
writeFileSync(
  new URL('README.md', packageUrl),
  repositoryUrl === '' ? readme : withAbsoluteLinks(readme, repositoryUrl),
);
