import { render } from 'preact';
import { App } from './app.js';
import { findApp } from './live/app-facts.js';
import { openDecodeLink } from './pages/decode/decode-state.js';
import { layoutFormFrom } from './state/layout-parameters.js';
import { keepPreferences } from './state/preferences.js';
import { followAddress, type Route, route } from './state/route.js';
import { layoutForm } from './state/settings.js';
import './styles.css';

function open(opened: Route): void {
  layoutForm.value = layoutFormFrom(opened.parameters);
  if (opened.page === 'decode') void openDecodeLink(opened);
}

/** The layout of the app is chosen only if the link and the viewer have chosen none. */
async function openWithApp(): Promise<void> {
  const shown = layoutForm.value;
  await findApp();
  if (layoutForm.value === shown) layoutForm.value = layoutFormFrom(route.value.parameters);
}

keepPreferences();
open(route.value);
followAddress(open);
const root = document.getElementById('root');
if (root) render(<App />, root);
void openWithApp();
