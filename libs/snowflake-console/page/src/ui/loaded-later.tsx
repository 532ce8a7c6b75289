import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { t } from '../messages/messages.js';

/** Returns a component whose code is loaded when it is first shown, so that the first view doesn't wait for it. */
export function loadedLater<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const loaded = signal<{ readonly Content?: ComponentType<Props> }>();
  return function Later(props: Props) {
    useEffect(() => {
      void load().then(
        (Content) => (loaded.value = { Content }),
        () => (loaded.value = {}),
      );
    }, []);
    if (!loaded.value) return null;
    const { Content } = loaded.value;
    // After an update of the app, the server no longer has the file.
    return Content ? <Content {...props} /> : <p role="alert">{t('app.outdated')}</p>;
  };
}
