import type { ComponentType } from 'preact';
import { signal, type Signal } from '@preact/signals';
import { text } from '../lib/messages';

export type ProjectPage = ComponentType<{ project: string }>;

/** A page whose code is fetched when it is first shown. */
class LazyPage {
  readonly loaded: Signal<ProjectPage | null> = signal(null);
  private readonly fetchCode: () => Promise<{ default: ProjectPage }>;
  private started = false;

  constructor(fetchCode: () => Promise<{ default: ProjectPage }>) {
    this.fetchCode = fetchCode;
  }

  load(): void {
    if (this.started) return;
    this.started = true;
    this.fetchCode().then(
      (module) => {
        this.loaded.value = module.default;
        forgetReload();
      },
      () => reloadOnce(),
    );
  }
}

const RELOADED = 'jobs.reloaded';

/** The code is gone: most likely a newer version was installed. One reload finds it. */
function reloadOnce(): void {
  if (sessionStorage.getItem(RELOADED)) return;
  sessionStorage.setItem(RELOADED, 'yes');
  window.location.reload();
}

function forgetReload(): void {
  sessionStorage.removeItem(RELOADED);
}

export interface PageRoute {
  /** The path after `/p/{project}`. */
  pattern: RegExp;
  title: string;
  page: LazyPage;
}

/** Every page of a project; the first pattern that fits is shown. */
export const PAGES: PageRoute[] = [
  {
    pattern: /^\/?$/,
    title: text.overview.title,
    page: new LazyPage(() => import('../pages/overview/overview')),
  },
];

export function pageAt(pathname: string): PageRoute | null {
  const rest = pathname.replace(/^\/p\/[^/]+/, '');
  return PAGES.find(({ pattern }) => pattern.test(rest)) ?? null;
}
