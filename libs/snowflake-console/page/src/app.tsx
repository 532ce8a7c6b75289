import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { appFacts } from './live/app-facts.js';
import { languageName, LANGUAGES } from './messages/languages.js';
import { t } from './messages/messages.js';
import { DecodePage } from './pages/decode-page.js';
import { GeneratePage } from './pages/generate-page.js';
import { LayoutsPage } from './pages/layouts-page.js';
import { TimePage } from './pages/time-page.js';
import { WorkersPage } from './pages/workers-page.js';
import { layoutParameters } from './state/layout-parameters.js';
import { chooseLanguage, chooseTheme, language, theme, THEMES } from './state/preferences.js';
import { addressOf, type PageName, PAGES, route } from './state/route.js';
import { layoutForm } from './state/settings.js';

const CONTENT: Record<PageName, ComponentType> = {
  decode: DecodePage,
  workers: WorkersPage,
  generate: GeneratePage,
  layouts: LayoutsPage,
  time: TimePage,
};

export function App() {
  const { page } = route.value;
  const Content = CONTENT[page];
  const title = t(`page.${page}`);
  useEffect(() => {
    document.title = `${title} · nestjs-snowflake`;
  }, [title]);
  // A static page has no app to request facts from.
  const names = PAGES.filter((name) => name !== 'workers' || appFacts.value || page === 'workers');
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        {t('app.skip')}
      </a>
      <header>
        <span class="brand">
          <Flake />
          <span>
            nestjs-snowflake
            <Stores />
          </span>
        </span>
        <nav aria-label={t('app.pages')}>
          {names.map((name) => (
            <a
              key={name}
              href={addressOf(name, layoutParameters(layoutForm.value))}
              aria-current={name === page ? 'page' : undefined}
              onClick={name === page ? stay : undefined}
            >
              {t(`page.${name}`)}
            </a>
          ))}
        </nav>
        <Preferences />
      </header>
      <main id="main" tabIndex={-1}>
        <h1>{title}</h1>
        <Content />
      </main>
      <footer>{t(appFacts.value ? 'app.online' : 'app.offline')}</footer>
    </>
  );
}

/** The address holds the state of the page, so a plain link to `#main` would lose it. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** Keeps the link of the current page from opening it again. */
function stay(event: MouseEvent): void {
  if (!event.ctrlKey && !event.metaKey && !event.shiftKey) event.preventDefault();
}

function Preferences() {
  return (
    <div class="preferences">
      <label>
        <span class="for-readers">{t('app.language')}</span>
        <select
          value={language.value}
          onChange={(event) => {
            chooseLanguage(event.currentTarget.value);
          }}
        >
          {LANGUAGES.map((name) => (
            <option key={name} value={name} lang={name}>
              {languageName(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="for-readers">{t('app.theme')}</span>
        <select
          value={theme.value}
          onChange={(event) => {
            const wanted = event.currentTarget.value;
            chooseTheme(THEMES.find((name) => name === wanted) ?? 'auto');
          }}
        >
          {THEMES.map((name) => (
            <option key={name} value={name}>
              {t(`theme.${name}`)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** Shows the stores of the app, to distinguish production, staging and a laptop. */
function Stores() {
  const stores = [...new Set(appFacts.value?.makers.map(({ store }) => store))].join(', ');
  return stores === '' ? null : (
    <small class="stores" title={stores}>
      {stores}
    </small>
  );
}

function Flake() {
  return (
    <svg class="flake" viewBox="-12 -12 24 24" aria-hidden="true">
      {[0, 60, 120].map((angle) => (
        <path key={angle} transform={`rotate(${angle})`} d="M0-11V11M-3-9 0-6 3-9M-3 9 0 6 3 9" />
      ))}
    </svg>
  );
}
