import type { Method } from '../../wire/method-specs.ts'
import { reachedLimit } from '../model/access/limits.ts'
import { permissionOf } from '../model/create-broker.ts'
import { ProtocolError } from '../model/protocol-error.ts'
import type { Vhost } from '../model/vhost.ts'
import { authenticate } from './authenticate.ts'
import { cut, finish, sendClose } from './close-with.ts'
import { type ConnectionRecord, isCapable } from './connection-record.ts'
import { createHeartbeat } from './heartbeat.ts'
import { serverProperties } from './server-properties.ts'

const protocolHeader = Buffer.from([0x41, 0x4d, 0x51, 0x50, 0, 0, 9, 1])
export const largestChannelMax = 2047
export const largestFrame = 131_072
const heartbeatSeconds = 60

/** Takes the first bytes. Gives what follows the protocol header once it is there; another protocol is sent away. */
export function greet(connection: ConnectionRecord, chunk: Buffer): Buffer | undefined {
  const { host, output, socket } = connection
  connection.greeting = Buffer.concat([connection.greeting, chunk])
  const { greeting } = connection
  if (greeting.length < protocolHeader.length) return undefined
  if (!greeting.subarray(0, protocolHeader.length).equals(protocolHeader)) {
    connection.phase = 'closed'
    socket.end(protocolHeader)
    return undefined
  }
  connection.phase = 'starting'
  output.method(0, {
    name: 'connection.start',
    versionMajor: 0,
    versionMinor: 9,
    serverProperties: serverProperties(host.broker.profile, host.clusterName),
    mechanisms: Buffer.from('AMQPLAIN PLAIN'),
    locales: Buffer.from('en_US'),
  })
  return greeting.subarray(protocolHeader.length)
}

export function onStartOk(connection: ConnectionRecord, method: Method<'connection.start-ok'>): void {
  connection.clientProperties = method.clientProperties
  connection.user = authenticate(connection.host.broker, method.mechanism, method.response)
  if (!connection.user) {
    refuseLogin(connection, method.mechanism)
    return
  }
  connection.phase = 'tuning'
  connection.output.method(0, {
    name: 'connection.tune',
    channelMax: largestChannelMax,
    frameMax: largestFrame,
    heartbeat: heartbeatSeconds,
  })
}

export function onTuneOk(connection: ConnectionRecord, method: Method<'connection.tune-ok'>): void {
  const { frameMax } = method
  assertWithin('frame_max', frameMax, { min: connection.host.broker.profile.minFrameMax, max: largestFrame })
  assertWithin('channel_max', method.channelMax, { min: 1, max: largestChannelMax })
  connection.frameMax = frameMax
  connection.channelMax = method.channelMax
  connection.output.limitFrames(frameMax)
  connection.parser.setLimits({ bodyBytes: frameMax - 8, headerBytes: frameMax - 8 })
  connection.heartbeat = createHeartbeat(method.heartbeat, {
    beat: () => connection.output.heartbeat(),
    // From a client that is blocked nothing is read, not even that it is alive.
    onSilence: () => {
      if (!connection.isBlocked) cut(connection)
    },
  })
  connection.phase = 'opening'
}

export function onOpen(connection: ConnectionRecord, { vhost: name }: Method<'connection.open'>): void {
  const { broker } = connection.host
  const user = connection.user!
  const vhost = broker.vhosts.get(name)
  if (!vhost) throw new ProtocolError('NOT_ALLOWED', `vhost ${name} not found`)
  checkConnectionLimits(connection, vhost)
  if (!permissionOf(broker, name, user.name)) {
    throw new ProtocolError('NOT_ALLOWED', `access to vhost '${name}' refused for user '${user.name}'`)
  }
  connection.actor = { broker, vhost, user, connection: connection.identity }
  connection.phase = 'running'
  connection.output.method(0, { name: 'connection.open-ok' })
}

/** Comes before the permission, as in RabbitMQ. */
function checkConnectionLimits({ host, user }: ConnectionRecord, { name, limits }: Vhost): void {
  const others = [...host.connections()].filter((other) => other.vhost() !== undefined)
  const inVhost = others.filter((other) => other.vhost() === name)
  const username = user!.name
  const ofVhost = reachedLimit(limits, 'max-connections', inVhost.length)
  if (ofVhost !== undefined) {
    const words = `access to vhost '${name}' refused for user '${username}': connection limit (${ofVhost}) is reached`
    throw new ProtocolError('NOT_ALLOWED', words)
  }
  const ofOneself = others.filter((other) => other.user()?.name === username)
  const userLimits = host.broker.userLimits.get(username)
  const ofUser = reachedLimit(userLimits, 'max-connections', ofOneself.length)
  if (ofUser !== undefined) {
    const words = `connection refused for user '${username}': user connection limit (${ofUser}) is reached`
    throw new ProtocolError('NOT_ALLOWED', words)
  }
}

/** Only a client that asked for it is told; others find the connection closed. */
function refuseLogin(connection: ConnectionRecord, mechanism: string): void {
  const words = `Login was refused using authentication mechanism ${mechanism}. For details see the broker logfile.`
  if (isCapable(connection, 'authentication_failure_close')) {
    sendClose(connection, new ProtocolError('ACCESS_REFUSED', words))
  }
  finish(connection)
}

function assertWithin(field: string, value: number, { min, max }: { min: number; max: number }): void {
  if (value !== 0 && value < min) {
    throw new ProtocolError(
      'NOT_ALLOWED',
      `negotiated ${field} = ${value} is lower than the minimum allowed value (${min})`,
    )
  }
  // Nought means that the client sets no limit, which is more than the broker allows.
  if (value === 0 || value > max) {
    throw new ProtocolError(
      'NOT_ALLOWED',
      `negotiated ${field} = ${value} is higher than the maximum allowed value (${max})`,
    )
  }
}
