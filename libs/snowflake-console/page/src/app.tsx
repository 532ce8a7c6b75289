import type { ComponentType } from 'preact';
import { LANGUAGE_NAMES, LANGUAGES } from './messages/languages.js';
import { t } from './messages/messages.js';
import { DecodePage } from './pages/decode-page.js';
import { GeneratePage } from './pages/generate-page.js';
import { LayoutsPage } from './pages/layouts-page.js';
import { TimePage } from './pages/time-page.js';
import { layoutParameters } from './state/layout-parameters.js';
import { language, theme, THEMES } from './state/preferences.js';
import { addressOf, type PageName, PAGES, route } from './state/route.js';
import { layoutForm } from './state/settings.js';

const CONTENT: Record<PageName, ComponentType> = {
  decode: DecodePage,
  generate: GeneratePage,
  layouts: LayoutsPage,
  time: TimePage,
};

export function App() {
  const { page } = route.value;
  const Content = CONTENT[page];
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        {t('app.skip')}
      </a>
      <header>
        <span class="brand">
          <Flake /> nestjs-snowflake
        </span>
        <nav aria-label={t('app.pages')}>
          {PAGES.map((name) => (
            <a
              key={name}
              href={addressOf(name, layoutParameters(layoutForm.value))}
              aria-current={name === page ? 'page' : undefined}
            >
              {t(`page.${name}`)}
            </a>
          ))}
        </nav>
        <Preferences />
      </header>
      <main id="main" tabIndex={-1}>
        <h1>{t(`page.${page}`)}</h1>
        <Content />
      </main>
      <footer>{t('app.offline')}</footer>
    </>
  );
}

/** The address holds the state of the page, so a plain link to `#main` would lose it. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function Preferences() {
  return (
    <div class="preferences">
      <label>
        <span class="for-readers">{t('app.language')}</span>
        <select
          value={language.value}
          onChange={(event) => {
            const wanted = event.currentTarget.value;
            language.value = LANGUAGES.find((name) => name === wanted) ?? 'en';
          }}
        >
          {LANGUAGES.map((name) => (
            <option key={name} value={name} lang={name}>
              {LANGUAGE_NAMES[name]}
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
            theme.value = THEMES.find((name) => name === wanted) ?? 'auto';
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

function Flake() {
  return (
    <svg class="flake" viewBox="-12 -12 24 24" aria-hidden="true">
      {[0, 60, 120].map((angle) => (
        <path key={angle} transform={`rotate(${angle})`} d="M0-11V11M-3-9 0-6 3-9M-3 9 0 6 3 9" />
      ))}
    </svg>
  );
}
