/** Browser storage that may be switched off or full: then settings simply last for the visit. */
const KEY_PREFIX = 'jobs.';

export function readSetting(key: string): string | null {
  try {
    return localStorage.getItem(KEY_PREFIX + key);
  } catch {
    return null;
  }
}

export function writeSetting(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(KEY_PREFIX + key);
    else localStorage.setItem(KEY_PREFIX + key, value);
  } catch {
    // Kept in memory by the caller's signal.
  }
}

export function readSession(key: string): string | null {
  try {
    return sessionStorage.getItem(KEY_PREFIX + key);
  } catch {
    return null;
  }
}

export function writeSession(key: string, value: string | null): void {
  try {
    if (value === null) sessionStorage.removeItem(KEY_PREFIX + key);
    else sessionStorage.setItem(KEY_PREFIX + key, value);
  } catch {
    // The session then ends with the page.
  }
}
