import { computed, signal } from '@preact/signals';

const location = signal(readLocation());

function readLocation(): { path: string; query: string } {
  return { path: window.location.pathname, query: window.location.search };
}

export const path = computed(() => location.value.path);
export const query = computed(() => new URLSearchParams(location.value.query));

/** Project of the path `/p/{project}…`, or null. */
export const projectInPath = computed(() => projectOf(path.value));

export function projectOf(pathname: string): string | null {
  const match = /^\/p\/([^/]+)/.exec(pathname);
  if (!match?.[1]) return null;
  try {
    return decodeURIComponent(match[1]);
  } catch {
    return null;
  }
}

export function overviewPath(project: string): string {
  return `/p/${encodeURIComponent(project)}`;
}

/** Goes to another view: an entry in the history. */
export function navigate(to: string): void {
  window.history.pushState(null, '', to);
  location.value = readLocation();
}

/** Corrects the address without a history entry. */
export function replace(to: string): void {
  window.history.replaceState(null, '', to);
  location.value = readLocation();
}

/** The address of this view with one query value changed; defaults are stripped. */
export function withQuery(name: string, value: string | null): string {
  const next = new URLSearchParams(location.value.query);
  if (value === null) next.delete(name);
  else next.set(name, value);
  const rest = next.toString();
  return rest ? `${location.value.path}?${rest}` : location.value.path;
}

/** Lets plain links of the app navigate without loading the page again. */
export function startRouter(): void {
  window.addEventListener('popstate', () => {
    location.value = readLocation();
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest('a');
    if (!link || link.origin !== window.location.origin || link.target) return;
    if (link.hash && link.pathname === window.location.pathname) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}
