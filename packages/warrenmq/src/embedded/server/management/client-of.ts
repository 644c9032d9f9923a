import type { Actor } from '../../model/access/actor.ts'
import { permissionOf } from '../../model/create-broker.ts'
import { ProtocolError } from '../../model/protocol-error.ts'
import { ApiRefusal, type ApiRequest, actorOf, vhostOf } from './api-request.ts'

/** What RabbitMQ does by being a client of its own: nobody gets in who has no permission in the vhost. */
export function clientOf(request: ApiRequest): Actor {
  const vhost = vhostOf(request)
  if (permissionOf(request.broker, vhost.name, request.user.name)) return actorOf(request, vhost)
  throw new ApiRefusal(401, 'not_authorised', 'Access refused.')
}

/** Such a client hears what an AMQP client hears, and the API passes it on. */
export function tellRefusal(error: unknown): unknown {
  const isRefusal = error instanceof ProtocolError && error.condition === 'ACCESS_REFUSED'
  return isRefusal ? new ApiRefusal(401, 'not_authorised', error.replyText) : error
}
