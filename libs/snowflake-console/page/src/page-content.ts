import { decodeShown, openDecodeLink, rememberTexts, type Texts } from './pages/decode/decode-state.js';
import { generateParameters, openGenerate } from './pages/generate-state.js';
import { demandParameters, openDemands } from './pages/layouts-state.js';
import { openTimes, timeParameters } from './pages/time-state.js';
import type { AddressContent, Shown } from './state/address.js';
import { layoutFormFrom, layoutParameters, unknownLayoutIn } from './state/layout-parameters.js';
import type { PageName } from './state/route.js';
import { layoutForm, unknownLayout } from './state/settings.js';

/** Returns what a page shows besides the layout, which all pages have in common. */
function shownOn(page: PageName): Shown | undefined {
  switch (page) {
    case 'decode':
      return decodeShown();
    case 'generate':
      return { parameters: generateParameters() };
    case 'layouts':
      return { parameters: demandParameters() };
    case 'time':
      return { parameters: timeParameters() };
    case 'workers':
      return { parameters: {} };
  }
}

/** What the address of each page stands for. */
export const pageContent: AddressContent<Texts> = {
  shown(page) {
    const common = layoutParameters(layoutForm.value);
    const own = shownOn(page);
    return own && { ...own, parameters: { ...common, ...own.parameters } };
  },
  open(route, texts) {
    const { page, parameters } = route;
    layoutForm.value = layoutFormFrom(parameters);
    unknownLayout.value = unknownLayoutIn(parameters);
    if (page === 'generate') openGenerate(parameters);
    if (page === 'layouts') openDemands(parameters);
    if (page === 'time') openTimes(parameters);
    return page === 'decode' ? openDecodeLink(route, texts) : undefined;
  },
  remember: rememberTexts,
};
