import { expect, it } from 'vitest'
import { cookieOfVhost, pathOfVhost, readVhostPath } from './vhost-path.ts'

it.each(['orders', '/', 'a b/c', '..', 'Größe', '%2F'])(
  'the path of the vhost %s names it again',
  (vhost) => {
    const path = pathOfVhost(vhost)

    expect(readVhostPath(`${path}/api/v1/dlqs?limit=1`)).toEqual({ vhost, rest: '/api/v1/dlqs?limit=1' })
    expect(readVhostPath(path)).toEqual({ vhost, rest: '/' })
    expect(readVhostPath(`${path}?a`)).toEqual({ vhost, rest: '/?a' })
  },
)

it.each(['/', '/vhosts', '/vhosts/', '/vhosts//api', '/api/vhosts/orders', '/vhosts/%zz/api'])(
  '%s names none',
  (url) => {
    expect(readVhostPath(url)).toBeUndefined()
  },
)

it('cookies of two vhosts have names of their own, which browsers take', () => {
  expect(cookieOfVhost('a')).toMatch(/^warren_session_[\w-]{16}$/)
  expect(cookieOfVhost('a')).not.toBe(cookieOfVhost('b'))
})
