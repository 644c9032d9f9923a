import type { FastifyRequest } from 'fastify'
import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { readSessionCookie } from '../auth/session-cookie.ts'
import type { CurrentSession } from '../contract/contract.ts'
import type { ServedVhost } from './served-vhosts.ts'

/** The vhosts of this server that the caller may see, as what they sent proves it. */
export async function listMyVhosts(
  { vhosts, broker }: Pick<ApiContext, 'vhosts' | 'broker'>,
  { caller, request }: { readonly caller: Caller; readonly request: FastifyRequest },
): Promise<CurrentSession['vhosts']> {
  const mine: CurrentSession['vhosts'][number][] = []
  for (const served of vhosts.all()) {
    const { name, path } = served
    const isHere = name === broker.vhost
    if (isHere || (await isKnownThere(served, { caller, request }))) mine.push({ name, path, isHere })
  }
  return mine
}

/** Tokens and a server that asks nobody are the same in all of them; an account has a session in each. */
async function isKnownThere(
  { name, context: { vhosts, authenticator } }: ServedVhost<ApiContext>,
  { caller, request }: { readonly caller: Caller; readonly request: FastifyRequest },
): Promise<boolean> {
  if (!caller.session) return caller.wayIn !== 'broker-account'
  const cookie = readSessionCookie(request, vhosts.cookieOf(name))
  try {
    const there = await authenticator.authenticate({ authorization: undefined, cookie, address: request.ip })
    return there?.name === caller.name
  } catch {
    return false // it has expired, or the account has no role there any more
  }
}
