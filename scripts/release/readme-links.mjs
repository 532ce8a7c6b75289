/** The end of a link or of a picture in Markdown whose target is a path: neither a URL nor a heading of the page. */
const RELATIVE = /(!\[[^\]]*)?(\]\()(?![a-z][a-z+.-]*:|#|\/\/)([^)\s]+)/g;
const CODE = /(^```[^]*?^```|`[^`\n]*`)/gm;

/** Returns the page with what `change` returns for each relative link outside code. */
function changeLinks(markdown, change) {
  // Code is at the odd places: it is what `split` captures.
  const parts = markdown
    .split(CODE)
    .map((part, at) =>
      at % 2 === 0
        ? part.replace(
            RELATIVE,
            (_link, picture, end, path) => `${picture ?? ''}${end}${change(path, picture)}`,
          )
        : part,
    );
  return parts.join('');
}

/** Returns the paths that a page links to or shows, without `#…`. */
export function linkedFiles(markdown) {
  const files = new Set();
  changeLinks(markdown, (path) => {
    files.add(path.split('#')[0]);
    return path;
  });
  return [...files];
}

/** Returns the page with absolute links and pictures, for a registry, which shows it away from the repository. */
export function withAbsoluteLinks(markdown, repositoryUrl) {
  const pictureUrl = repositoryUrl.replace('https://github.com/', 'https://raw.githubusercontent.com/');
  return changeLinks(markdown, (path, picture) => {
    const base = picture ? `${pictureUrl}/HEAD/` : `${repositoryUrl}/blob/HEAD/`;
    return new URL(path, base).href;
  });
}
