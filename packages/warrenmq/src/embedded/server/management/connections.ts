import type { User } from '../../model/access/access.ts'
import { lookUp, textOf } from '../../model/message/terms.ts'
import { ProtocolError } from '../../model/protocol-error.ts'
import type { AmqpConnection } from '../amqp-connection.ts'
import { answerList } from './answer-list.ts'
import { type ApiAnswer, type ApiRequest, type JsonObject, noContent, notFound, ok } from './api-request.ts'
import { isAdministrator, isMonitor, notForUser } from './check-route-access.ts'
import { describeConnection } from './consumers.ts'
import { tableToJson } from './field-to-json.ts'

export function listConnections(request: ApiRequest): ApiAnswer {
  const [vhost] = request.params
  const shown = shownConnections(request).filter(
    (connection) => connection.vhost() !== undefined && (vhost === undefined || connection.vhost() === vhost),
  )
  return answerList(
    shown.map((connection) => renderConnection(request, connection)),
    request.query,
  )
}

export function showConnection(request: ApiRequest): ApiAnswer {
  return ok(renderConnection(request, find(request, isMonitor)))
}

/** Closes a client as an operator would; the reason is told to it. */
export function closeConnection(request: ApiRequest): ApiAnswer {
  const reason = request.reason ?? 'Closed via management plugin'
  find(request, isAdministrator).close(new ProtocolError('CONNECTION_FORCED', reason))
  return noContent
}

export function listChannels(request: ApiRequest): ApiAnswer {
  const channels = shownConnections(request).flatMap((connection) =>
    [...connection.channels.values()].map(({ model }) => ({
      name: `${connection.name} (${model.number})`,
      number: model.number,
      user: connection.user()?.name ?? null,
      vhost: connection.vhost() ?? null,
      confirm: model.isConfirming,
      transactional: model.transaction !== undefined,
      consumer_count: model.consumers.size,
      messages_unacknowledged: model.held.size,
      prefetch_count: model.prefetch,
      state: 'running',
      node: request.nodeName,
      connection_details: describeConnection(connection),
    })),
  )
  return answerList(channels, request.query)
}

/** Who does not watch the broker sees no connections but its own. */
function shownConnections({ connections, user }: ApiRequest): readonly AmqpConnection[] {
  return [...connections()].filter((connection) => isMonitor(user) || connection.user()?.name === user.name)
}

/** One of the user's own, or of anybody's where the user may do that. */
function find(
  { connections, params, user }: ApiRequest,
  mayReachAll: (user: User) => boolean,
): AmqpConnection {
  const found = [...connections()].find(({ name }) => name === params[0])
  if (!found) throw notFound()
  if (!mayReachAll(user) && found.user()?.name !== user.name) throw notForUser()
  return found
}

function renderConnection({ nodeName }: ApiRequest, connection: AmqpConnection): JsonObject {
  const providedName = textOf(lookUp(connection.clientProperties(), 'connection_name'))
  return {
    name: connection.name,
    user: connection.user()?.name ?? null,
    vhost: connection.vhost() ?? null,
    state: connection.phase(),
    node: nodeName,
    protocol: 'AMQP 0-9-1',
    auth_mechanism: 'PLAIN',
    ssl: false,
    host: connection.local.host,
    port: connection.local.port,
    peer_host: connection.peer.host,
    peer_port: connection.peer.port,
    user_who_performed_action: connection.user()?.name ?? null,
    ...(providedName === undefined ? {} : { user_provided_name: providedName }),
    channels: connection.channels.size,
    channel_max: connection.channelMax(),
    frame_max: connection.frameMax(),
    connected_at: connection.connectedAtMs,
    client_properties: tableToJson(connection.clientProperties()),
    type: 'network',
  }
}
