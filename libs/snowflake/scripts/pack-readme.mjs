/** Copies the README of the repository into the package, with absolute links and pictures. */
import { readFileSync, writeFileSync } from 'node:fs';
import { withAbsoluteLinks } from '../../../scripts/release/readme-links.mjs';

const packageUrl = new URL('../', import.meta.url);
const { repository } = JSON.parse(readFileSync(new URL('package.json', packageUrl), 'utf8'));
const repositoryUrl = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');

const readme = readFileSync(new URL('../../README.md', packageUrl), 'utf8');
writeFileSync(new URL('README.md', packageUrl), withAbsoluteLinks(readme, repositoryUrl));
