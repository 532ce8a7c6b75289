import {
  decodeParameters,
  type DecodeMemory,
  openDecode,
  rememberDecode,
} from './pages/decode/decode-state.js';
import { generateParameters, openGenerate } from './pages/generate-state.js';
import { demandParameters, openDemands } from './pages/layouts-state.js';
import { openTimes, timeParameters } from './pages/time-state.js';
import { openWorkers, workersParameters } from './pages/workers-state.js';
import type { AddressContent } from './state/address.js';
import { layoutFormFrom, layoutParameters, unknownLayoutIn } from './state/layout-parameters.js';
import type { PageName, Parameters } from './state/route.js';
import { layoutForm, unknownLayout } from './state/settings.js';

/** Returns the parameters of a page in the address, without the layout, which all pages share. */
function parametersOf(page: PageName): Parameters {
  switch (page) {
    case 'decode':
      return decodeParameters();
    case 'generate':
      return generateParameters();
    case 'layouts':
      return demandParameters();
    case 'time':
      return timeParameters();
    case 'workers':
      return workersParameters();
  }
}

/** The content of each page that its address contains. */
export const pageContent: AddressContent<DecodeMemory> = {
  shown: (page) => ({ ...layoutParameters(layoutForm.value), ...parametersOf(page) }),
  open({ page, parameters }, memory) {
    layoutForm.value = layoutFormFrom(parameters);
    unknownLayout.value = unknownLayoutIn(parameters);
    if (page === 'generate') openGenerate(parameters);
    if (page === 'layouts') openDemands(parameters);
    if (page === 'time') openTimes(parameters);
    if (page === 'workers') openWorkers(parameters);
    return page === 'decode' ? openDecode(parameters, memory) : undefined;
  },
  remember: rememberDecode,
};
