import createClient, { type Client } from 'openapi-fetch'
import { readBearerToken } from './bearer-token.ts'
import { queryClient } from './query-client.ts'
import type { components, paths } from './schema.d.ts'
import { serverAddress } from './server-address.ts'

export type Schemas = components['schemas']

/** Who is logged in, or was until the session ended without them: they may come back to what they were doing. */
export type KnownSession = Schemas['CurrentSession'] & { readonly hasEnded?: true }

/** Asks the server that the page came from, as whoever is logged in. */
export const api: Client<paths> = createClient<paths>({
  baseUrl: serverAddress,
  querySerializer: { array: { style: 'form', explode: false } },
})

api.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(proofOfWho())) request.headers.set(name, value)
    return request
  },
  onResponse({ response, schemaPath }) {
    // The session has ended, or its role has changed: whoever shows pages finds out who it is now.
    if (response.status === 401 && schemaPath !== '/api/v1/session')
      void queryClient.invalidateQueries({ queryKey: sessionKey })
  },
})

export const sessionKey = ['session'] as const

/** The headers by which the server knows the reader, besides the cookie that the browser sends by itself. */
export function proofOfWho(): Readonly<Record<string, string>> {
  const token = readBearerToken()
  if (token !== null) return { authorization: `Bearer ${token}` }
  const session = queryClient.getQueryData<KnownSession | null>(sessionKey)
  return session?.csrfToken && !session.hasEnded ? { 'x-csrf-token': session.csrfToken } : {}
}
