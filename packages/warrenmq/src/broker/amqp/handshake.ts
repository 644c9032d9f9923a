import { ConnectionError, InvalidArgumentError } from '../../errors.ts'
import type { FieldTable } from '../../wire/field-value.ts'
import type { Method } from '../../wire/method-specs.ts'
import { toFieldTable, toPlainTable } from '../../wire/plain-fields.ts'
import { authenticate } from './authenticate.ts'
import { closedByBrokerError } from './closed-error.ts'
import type { SettledOptions } from './connection-options.ts'
import { describeEndpoint, type Endpoint } from './parse-amqp-url.ts'

/** What both sides agreed on, and who the other side is. */
export interface Agreement {
  /** The largest frame that either side may send, in bytes. */
  readonly frameMax: number
  /** The highest channel number. */
  readonly channelMax: number
  /** A side that hears nothing for twice as long gives the connection up; 0: no heartbeats. */
  readonly heartbeatSeconds: number
  /** `RabbitMQ`, or what else the broker calls itself. */
  readonly product: string
  /** The version that the broker says it has. */
  readonly version: string
  /** The same on every node of a cluster; undefined if the broker does not say. */
  readonly clusterName: string | undefined
}

/** How the handshake talks: it sends methods and is handed the broker's, one by one. */
export interface HandshakeConnection {
  send(method: Method): void
  next(): Promise<Method>
}

/** Speaks the opening of a connection. Throws a ConnectionError that says which step the broker refused. */
export async function shakeHands(
  connection: HandshakeConnection,
  endpoint: Endpoint,
  options: SettledOptions & { readonly id: string },
): Promise<Agreement> {
  const start = await expectMethod(connection, endpoint, 'connection.start')
  const offered = start.mechanisms.toString('utf8')
  const { mechanism, response } = authenticate({
    offered,
    endpoint,
    ...(options.mechanism && { wanted: options.mechanism }),
  })
  connection.send({
    name: 'connection.start-ok',
    clientProperties: clientProperties(options),
    mechanism,
    response,
    locale: 'en_US',
  })
  const tune = await expectMethod(connection, endpoint, 'connection.tune')
  const agreed = {
    channelMax: lowerLimit(tune.channelMax, options.channelMax),
    frameMax: lowerLimit(tune.frameMax, options.frameMax),
    heartbeatSeconds:
      options.heartbeatSeconds === 0 ? 0 : lowerLimit(tune.heartbeat, options.heartbeatSeconds),
  }
  checkFrameMax(agreed.frameMax, tune.frameMax, endpoint)
  connection.send({ name: 'connection.tune-ok', ...agreed, heartbeat: agreed.heartbeatSeconds })
  connection.send({ name: 'connection.open', vhost: endpoint.vhost })
  await expectMethod(connection, endpoint, 'connection.open-ok')
  return { ...agreed, ...describeBroker(start.serverProperties) }
}

/** RabbitMQ's reply codes for a refused connection, as sentences a person can act on. */
export function explainRefusal(close: Method<'connection.close'>, endpoint: Endpoint): ConnectionError {
  const { replyCode, replyText } = close
  const where = describeEndpoint(endpoint)
  if (replyCode === 403) {
    return refusal(
      'CONNECTION_AUTHENTICATION_REFUSED',
      `The broker at ${where} refused the user name or password (user "${endpoint.username}"), or the certificate that replaces them. Check them, and check that the user may connect from here.`,
      replyCode,
    )
  }
  if (replyCode === 530 && / not found/.test(replyText)) {
    return refusal(
      'CONNECTION_VHOST_NOT_FOUND',
      `The broker at ${where} has no vhost "${endpoint.vhost}". Create it, or name another with --vhost or as the path of the URL.`,
      replyCode,
    )
  }
  if (replyCode === 530 && /limit .*reached/.test(replyText)) {
    // Not final: others close their connections, and then there is room.
    return new ConnectionError({
      code: 'CONNECTION_LIMIT_REACHED',
      message: `The broker at ${where} accepts no more connections: ${replyText}. Close some, or raise the limit of the vhost, the user or the node.`,
      replyCode,
    })
  }
  if (replyCode === 530) {
    // A vhost that is down is refused by the same code, and no permission helps there.
    const remedy = /access to vhost/.test(replyText)
      ? ` Give "${endpoint.username}" permissions on the vhost (rabbitmqctl set_permissions), or name another vhost with --vhost or as the path of the URL.`
      : ''
    const message = `The broker at ${where} refused the connection: ${replyText}.${remedy}`
    return refusal('CONNECTION_ACCESS_REFUSED', message, replyCode)
  }
  return closedByBrokerError(endpoint, close)
}

function refusal(code: ConnectionError['code'], message: string, replyCode: number): ConnectionError {
  return new ConnectionError({ code, message, isFinal: true, replyCode })
}

async function expectMethod<Name extends Method['name']>(
  connection: HandshakeConnection,
  endpoint: Endpoint,
  name: Name,
): Promise<Extract<Method, { name: Name }>> {
  const method = await connection.next()
  if (method.name === name) return method as Extract<Method, { name: Name }>
  if (method.name === 'connection.close') {
    connection.send({ name: 'connection.close-ok' })
    throw explainRefusal(method, endpoint)
  }
  throw new ConnectionError({
    code: 'CONNECTION_NOT_AMQP',
    isFinal: true,
    message: `${describeEndpoint(endpoint)} sent ${method.name} instead of ${name}. Is it an AMQP 0-9-1 broker?`,
  })
}

/** The smallest frame of AMQP: in less, not even the methods of the handshake fit. */
const leastFrameMax = 4096

function checkFrameMax(agreed: number, offered: number, endpoint: Endpoint): void {
  if (agreed === 0 || agreed >= leastFrameMax) return
  if (offered !== agreed)
    throw new InvalidArgumentError(`frameMax is ${agreed}; the minimum in AMQP is ${leastFrameMax}.`)
  throw new ConnectionError({
    code: 'CONNECTION_NOT_AMQP',
    isFinal: true,
    message: `${describeEndpoint(endpoint)} offers frames of ${offered} bytes; the minimum in AMQP is ${leastFrameMax}. Is it an AMQP 0-9-1 broker?`,
  })
}

/** 0 means "no limit" in AMQP, so it never wins over a number. */
function lowerLimit(theirs: number, ours: number): number {
  return theirs === 0 || ours === 0 ? Math.max(theirs, ours) : Math.min(theirs, ours)
}

function clientProperties({ name, id }: { name: string; id: string }): FieldTable {
  return toFieldTable({
    product: 'Warren',
    platform: 'Node.js',
    connection_name: name,
    warren_id: id,
    capabilities: {
      publisher_confirms: true,
      exchange_exchange_bindings: true,
      'basic.nack': true,
      consumer_cancel_notify: true,
      'connection.blocked': true,
      authentication_failure_close: true,
    },
  })
}

function describeBroker(properties: FieldTable): Pick<Agreement, 'product' | 'version' | 'clusterName'> {
  const plain = toPlainTable(properties)
  return {
    product: typeof plain.product === 'string' ? plain.product : 'unknown',
    version: typeof plain.version === 'string' ? plain.version : '0.0.0',
    clusterName: typeof plain.cluster_name === 'string' ? plain.cluster_name : undefined,
  }
}
