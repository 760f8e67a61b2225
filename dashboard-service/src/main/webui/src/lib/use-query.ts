import { useEffect, useMemo } from 'preact/hooks';
import { http } from '../app/session';
import { watch } from '../app/live';
import { Query } from './query';

export interface QuerySpec<T> {
  topics: readonly string[];
  minIntervalMillis: number;
  onData?: (data: T) => void;
}

/** A query that lives as long as the component shows `path`, kept fresh by signals. */
export function useQuery<T>(
  path: string | (() => string),
  spec: QuerySpec<T>,
  key: string,
): Query<T> {
  const query = useMemo(
    () =>
      new Query<T>({
        ...spec,
        fetch: (etag) => http.get<T>(typeof path === 'string' ? path : path(), etag),
      }),
    [key],
  );
  useEffect(() => watch(query), [query]);
  return query;
}
