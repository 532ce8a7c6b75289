import { render, type ComponentType } from 'preact';
import { appFacts } from './live/app-facts.js';
import { loadMessages } from './messages/languages.js';
import { pageContent } from './page-content.js';
import { DecodeCodePanel } from './pages/decode-code-panel.js';
import { DecodePage } from './pages/decode-page.js';
import { GeneratePage } from './pages/generate-page.js';
import { LayoutsPage } from './pages/layouts-page.js';
import { TimePage } from './pages/time-page.js';
import { keepAddress } from './state/address.js';
import { language, messages } from './state/preferences.js';
import { type PageName, route, routeOf } from './state/route.js';
import styles from './styles.css?inline';

/** The pages that need no app. */
export type ToolName = Exclude<PageName, 'workers'>;

const TOOLS: Readonly<Record<ToolName, ComponentType>> = {
  decode: DecodeTool,
  generate: GeneratePage,
  layouts: LayoutsPage,
  time: TimePage,
};

function DecodeTool() {
  return (
    <>
      <DecodePage />
      <DecodeCodePanel />
    </>
  );
}

/**
 * Shows one page of the console within a page of another site. It requests nothing but the messages of its language, from the files of
 * that site. `data-theme` of the host sets the theme.
 *
 * @param place whose styles are its own
 * @param tag of the language (BCP 47)
 * @returns a function that removes the page again
 */
export async function showTool(place: ShadowRoot, tool: ToolName, tag: string): Promise<() => void> {
  messages.value = await loadMessages(tag);
  language.value = tag;
  appFacts.value = null;
  const linked = routeOf(location.hash);
  route.value = linked.page === tool ? linked : { page: tool, parameters: new URLSearchParams() };
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  place.adoptedStyleSheets = [sheet];
  const Tool = TOOLS[tool];
  const leaveAddress = keepAddress(pageContent);
  render(<Tool />, place);
  return () => {
    leaveAddress();
    render(null, place);
  };
}
