import type { Schemas } from './api.ts'
import { serverAddress } from './server-address.ts'

type Vhosts = Schemas['CurrentSession']['vhosts']

/** What stands before `/api` and `/console` of another vhost: they are below one address, and this page is below it, too. */
export function addressOfVhost(vhosts: Vhosts, path: string, here: string = serverAddress): string {
  const { path: own = '' } = vhosts.find(({ isHere }) => isHere) ?? {}
  const before = here.endsWith(own) ? here.slice(0, here.length - own.length) : here
  return `${before}${path}`
}
