import { useEffect, useMemo } from 'preact/hooks';
import { http } from '../app/session';
import { watch } from '../app/live';
import type { Answer } from './http';
import { Query } from './query';

export interface QuerySpec<T> {
  topics: readonly string[];
  minIntervalMillis: number;
  onData?: (data: T) => void;
  /** How the path is read, where it is not one request. */
  read?: (path: string, etag: string | null) => Promise<Answer<T>>;
}

/** A query that lives as long as the component shows `path`, kept fresh by signals. */
export function useQuery<T>(
  path: string | (() => string),
  spec: QuerySpec<T>,
  key: string,
): Query<T> {
  const query = useMemo(() => {
    const { read = (at, etag) => http.get<T>(at, etag), ...options } = spec;
    return new Query<T>({
      ...options,
      fetch: (etag) => read(typeof path === 'string' ? path : path(), etag),
    });
  }, [key]);
  useEffect(() => watch(query), [query]);
  return query;
}
