import { randomBytes } from 'node:crypto'
import { callManagement, type ManagementAccess } from './call-management.ts'

/** A broker as its vhosts are made on it: the URL has no path. */
export interface VhostPlace extends ManagementAccess {
  readonly amqpUrl: string
}

export interface OwnVhost {
  readonly vhost: string
  /** amqp:// with user, password and vhost. */
  readonly url: string
  drop(): Promise<void>
}

/** A vhost with a name that nobody has used, in which the user of the broker may do everything. */
export async function createVhostOn(place: VhostPlace, prefix: string): Promise<OwnVhost> {
  const vhost = `${prefix}-${randomBytes(6).toString('hex')}`
  const path = `/api/vhosts/${encodeURIComponent(vhost)}`
  await callManagement(place, 'PUT', path, {})
  const permissions = { configure: '.*', write: '.*', read: '.*' }
  const user = encodeURIComponent(place.username)
  await callManagement(place, 'PUT', `/api/permissions/${encodeURIComponent(vhost)}/${user}`, permissions)
  return {
    vhost,
    url: `${place.amqpUrl}/${encodeURIComponent(vhost)}`,
    drop: () => callManagement(place, 'DELETE', path),
  }
}
