import type { Endpoint } from './endpoint.ts'

/** Every request that changes something by itself can be sent with a key; to look, to log in and to plan needs none. */
export function takesKey({ method, needs, path }: Pick<Endpoint, 'method' | 'needs' | 'path'>): boolean {
  return method === 'POST' && needs !== 'anyone' && needs !== 'known' && !/\/(plan|verify)$/.test(path)
}
