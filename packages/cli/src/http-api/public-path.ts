import { InvalidArgumentError } from 'warrenmq'

/** The path under which a proxy passes requests on, such as `/ops/warren`; empty where there is none. */
export type PublicPath = string

const shape = /^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/

/** Reads the path as a config has it. A slash at its end makes no difference. */
export function readPublicPath(name: string, given: string): PublicPath {
  const path = given.replace(/\/$/, '')
  if (path === '' || shape.test(path)) return path
  throw new InvalidArgumentError(
    `server.${name} must be a path such as /ops/warren, of letters, digits, "-", ".", "_" and "~", not "${given}".`,
  )
}

/** The address of a request. One may also name the whole URL, of which the part behind the host counts. */
export function takeOffOrigin(url: string): string {
  const rest = url.replace(/^https?:\/\/[^/?#]*/i, '')
  return rest === url || rest.startsWith('/') ? rest : `/${rest}`
}

/** The address of a request below the path; one that does not stand there was stripped by the proxy, and is as it is. */
export function takeOffPath(url: string, path: PublicPath): string {
  if (path === '' || !url.startsWith(path)) return url
  const rest = url.slice(path.length)
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url
}
