import { createHash } from 'node:crypto'
import { sessionCookie } from '../auth/session-cookie.ts'

const before = '/vhosts/'

/** What stands before the addresses of a vhost that is not the first one of its server. */
export function pathOfVhost(vhost: string): string {
  return `${before}${encodeURIComponent(vhost)}`
}

/** The cookie of a session there: a browser that is logged in at several has one of each. */
export function cookieOfVhost(vhost: string): string {
  const name = createHash('sha256').update(vhost).digest('base64url').slice(0, 16)
  return `${sessionCookie}_${name}`
}

/** The vhost that an address names, and the address there. Undefined: it names none. */
export function readVhostPath(url: string): { readonly vhost: string; readonly rest: string } | undefined {
  const [, encoded, rest] = /^\/vhosts\/([^/?#]+)(.*)$/s.exec(url) ?? []
  if (encoded === undefined || rest === undefined) return undefined
  const vhost = decode(encoded)
  return vhost === undefined ? undefined : { vhost, rest: rest.startsWith('/') ? rest : `/${rest}` }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
