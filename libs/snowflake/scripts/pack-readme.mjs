/**
 * Copies the README of the repository into the package. Registries show it away from the repository, so relative links
 * and pictures become absolute.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const packageUrl = new URL('../', import.meta.url);
const { repository } = JSON.parse(readFileSync(new URL('package.json', packageUrl), 'utf8'));
const repositoryUrl = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
const pictureUrl = repositoryUrl.replace('https://github.com/', 'https://raw.githubusercontent.com/');

/** A link or picture in Markdown whose target is a path: neither a URL nor a heading of the page. */
const RELATIVE = /(!?)(\[[^\]]*\]\()(?![a-z][a-z+.-]*:|#|\/\/)([^)\s]+)/g;
const CODE = /(^```[^]*?^```|`[^`\n]*`)/gm;

const absolute = (text) =>
  text.replace(RELATIVE, (_link, picture, label, path) => {
    const base = picture ? `${pictureUrl}/HEAD/` : `${repositoryUrl}/blob/HEAD/`;
    return `${picture}${label}${new URL(path, base).href}`;
  });

const readme = readFileSync(new URL('../../README.md', packageUrl), 'utf8');
// Code stands at the odd places: it is what `split` captures.
const parts = readme.split(CODE).map((part, at) => (at % 2 === 0 ? absolute(part) : part));
writeFileSync(new URL('README.md', packageUrl), parts.join(''));
