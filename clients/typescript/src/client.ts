import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './schema.js';

export type Schemas = components['schemas'];
export type JobSchedulerClient = Client<paths, `${string}/${string}`>;

/**
 * A client of the API at this origin, such as http://localhost:8080. The token, an access token or
 * the secret of an API key, is asked for before each request; without one the caller is nobody.
 * An answer of 400 or more is no exception: it is the `error` of the result, a `Problem`.
 */
export function jobScheduler(origin: string, token: () => string | undefined): JobSchedulerClient {
  const client = createClient<paths>({ baseUrl: origin });
  client.use({
    onRequest({ request }) {
      const now = token();
      if (now !== undefined) {
        request.headers.set('Authorization', `Bearer ${now}`);
      }
      return request;
    },
  });
  return client;
}
