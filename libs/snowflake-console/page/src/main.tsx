import { render } from 'preact';
import { App } from './app.js';
import { findApp } from './live/app-facts.js';
import { pageContent } from './page-content.js';
import { keepAddress } from './state/address.js';
import { layoutFormFrom } from './state/layout-parameters.js';
import { showPreferences } from './state/preferences.js';
import { route } from './state/route.js';
import { layoutForm } from './state/settings.js';
import './styles.css';

/** The layout of the app is chosen only if the link and the viewer have chosen none. */
async function openWithApp(): Promise<void> {
  const shown = layoutForm.value;
  await findApp();
  if (layoutForm.value === shown) layoutForm.value = layoutFormFrom(route.value.parameters);
}

const facts = openWithApp();
await showPreferences();
keepAddress(pageContent);
const root = document.getElementById('root');
if (root) render(<App />, root);
await facts;
