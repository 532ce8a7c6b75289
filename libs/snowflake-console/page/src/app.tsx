import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { appFacts } from './live/app-facts.js';
import { lastWatch } from './live/watching.js';
import { languageName, LANGUAGES } from './messages/languages.js';
import { t } from './messages/messages.js';
import { DecodePage } from './pages/decode-page.js';
import { WorkersPage } from './pages/workers-page.js';
import { layoutParameters } from './state/layout-parameters.js';
import { chooseLanguage, chooseTheme, language, theme, THEMES } from './state/preferences.js';
import { addressOf, type PageName, PAGES, route } from './state/route.js';
import { layoutForm } from './state/settings.js';
import { loadedLater } from './ui/loaded-later.js';

/** The first view has the pages that answer questions about IDs and workers at once. */
const CONTENT: Record<PageName, ComponentType> = {
  decode: DecodePage,
  workers: WorkersPage,
  generate: loadedLater(async () => (await import('./pages/generate-page.js')).GeneratePage),
  layouts: loadedLater(async () => (await import('./pages/layouts-page.js')).LayoutsPage),
  time: loadedLater(async () => (await import('./pages/time-page.js')).TimePage),
};

export function App() {
  const { page } = route.value;
  const Content = CONTENT[page];
  const title = t(`page.${page}`);
  useEffect(() => {
    addEventListener('keydown', focusSearch);
    return () => removeEventListener('keydown', focusSearch);
  }, []);
  useEffect(() => {
    document.title = `${title} · nestjs-snowflake`;
    // On a phone, the links scroll. The page itself must stay where the content has scrolled it to.
    const link = document.querySelector<HTMLElement>('nav [aria-current]');
    link?.parentElement?.scrollTo({ left: link.offsetLeft - link.offsetWidth });
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
          <span>nestjs-snowflake</span>
        </span>
        <Stores />
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
        <h1 class="for-readers">{title}</h1>
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

/** `/` goes to the search or the filter of the page, unless one types. */
function focusSearch(event: KeyboardEvent): void {
  const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.querySelector<HTMLElement>('[data-search]');
  if (!search) return;
  event.preventDefault();
  search.focus();
}

/** Language and theme, in a menu that closes when one goes elsewhere. */
function Preferences() {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = (): void => menu.current?.removeAttribute('open');
  useEffect(() => {
    const leave = ({ target }: Event): void => {
      if (!menu.current?.contains(target as Node)) close();
    };
    addEventListener('pointerdown', leave);
    return () => removeEventListener('pointerdown', leave);
  }, []);
  return (
    <details
      class="preferences"
      ref={menu}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        close();
        menu.current?.querySelector('summary')?.focus();
      }}
    >
      <summary>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M1.5 4.5h6M11.5 4.5h3M1.5 11.5h3M8.5 11.5h6M9.5 2.5v4M6.5 9.5v4" />
        </svg>
        <span class="for-readers">{t('app.preferences')}</span>
      </summary>
      <div class="menu">
        <Choices />
      </div>
    </details>
  );
}

function Choices() {
  return (
    <>
      <label>
        {t('app.language')}
        <select
          value={language.value}
          onChange={(event) => {
            void chooseLanguage(event.currentTarget.value);
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
        {t('app.theme')}
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
    </>
  );
}

/** Shows the stores of the app, to distinguish production, staging and a laptop, and whether one can't be read. */
function Stores() {
  const stores = [...new Set(appFacts.value?.makers.map(({ store }) => store))].join(', ');
  const isUnread = lastWatch.value?.event.makers.some((maker) => maker.registryErrorCode !== undefined);
  return stores === '' ? null : (
    <small class={isUnread ? 'stores connection-lost' : 'stores'} title={stores}>
      {isUnread && (
        <>
          <span class="dot" aria-hidden="true" />
          <span class="for-readers">{t('store.unreadable')}: </span>
        </>
      )}
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
