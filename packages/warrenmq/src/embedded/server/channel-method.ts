import type { Method, MethodName } from '../../wire/method-specs.ts'
import { reachedLimit } from '../model/access/limits.ts'
import { ProtocolError } from '../model/protocol-error.ts'
import { closeWith, endChannels, finish } from './close-with.ts'
import type { ConnectionPhase } from './connection-phase.ts'
import type { ConnectionRecord } from './connection-record.ts'
import { onOpen, onStartOk, onTuneOk } from './greet.ts'
import { type ChannelHost, createServerChannel, type ServerChannel } from './server-channel.ts'

/** Does what a method on channel 0 asks of the connection itself. */
export function onConnectionMethod(connection: ConnectionRecord, method: Method): void {
  const { output } = connection
  if (connection.phase === 'closing') {
    onFarewell(connection, method)
    return
  }
  if (connection.phase !== phaseOf[method.name]) throw notDue(connection)
  switch (method.name) {
    case 'connection.start-ok':
      onStartOk(connection, method)
      break
    case 'connection.tune-ok':
      onTuneOk(connection, method)
      break
    case 'connection.open':
      onOpen(connection, method)
      break
    case 'connection.update-secret':
      output.method(0, { name: 'connection.update-secret-ok' })
      break
    case 'connection.close':
      endChannels(connection)
      onFarewell(connection, method)
      break
    default:
      throw notDue(connection)
  }
}

function notDue({ phase }: ConnectionRecord): ProtocolError {
  return new ProtocolError('CHANNEL_ERROR', `unexpected method in connection state ${phase}`)
}

/** When a client may say what. All else is never for it to say on channel 0. */
const phaseOf: { readonly [Name in MethodName]?: ConnectionPhase } = {
  'connection.start-ok': 'starting',
  'connection.tune-ok': 'tuning',
  'connection.open': 'opening',
  'connection.update-secret': 'running',
  'connection.close': 'running',
}

/** Opens, closes or hands to its channel. */
export function onChannelMethod(
  connection: ConnectionRecord,
  number: number,
  { method, channelHost }: { method: Method; channelHost: ChannelHost },
): void {
  if (connection.phase === 'closing') return
  if (connection.phase !== 'running') {
    throw new ProtocolError('CHANNEL_ERROR', 'expected a method of class connection')
  }
  const channel = connection.channels.get(number)
  if (method.name === 'channel.open') openChannel(connection, number, channelHost)
  else if (!channel) throw notOpen()
  else if (method.name === 'channel.close') closeByClient(connection, number, channel)
  else if (method.name !== 'channel.close-ok') channel.method(method)
  else if (channel.isClosing()) connection.channels.delete(number)
}

function notOpen(): ProtocolError {
  return new ProtocolError('CHANNEL_ERROR', "expected 'channel.open'")
}

/** The broker has said goodbye, or the client has: whichever word is missing follows, then it is over. */
function onFarewell(connection: ConnectionRecord, { name }: Method): void {
  if (name === 'connection.close') connection.output.method(0, { name: 'connection.close-ok' })
  if (name === 'connection.close' || name === 'connection.close-ok') finish(connection)
}

function openChannel(connection: ConnectionRecord, number: number, channelHost: ChannelHost): void {
  const { channels, channelMax, output } = connection
  if (channels.has(number)) throw new ProtocolError('CHANNEL_ERROR', "second 'channel.open' seen")
  // RabbitMQ counts the channels; their numbers may be higher. It does not say which method it refuses.
  if (channels.size >= channelMax) {
    const words = `number of channels opened (${channels.size}) has reached the negotiated channel_max (${channelMax})`
    closeWith(connection, new ProtocolError('NOT_ALLOWED', words))
    return
  }
  const limit = reachedChannelLimit(connection)
  if (limit !== undefined) {
    const { clusterName: node, broker } = connection.host
    const words = broker.profile.describeChannelLimit({ user: connection.user!.name, node, limit })
    closeWith(connection, new ProtocolError('NOT_ALLOWED', words))
    return
  }
  channels.set(number, createServerChannel(number, channelHost))
  output.method(number, { name: 'channel.open-ok' })
}

/** A user's channels count over all of its connections. */
function reachedChannelLimit({ host, user }: ConnectionRecord): number | undefined {
  const limits = host.broker.userLimits.get(user!.name)
  if (!limits) return undefined
  const own = [...host.connections()].filter((each) => each.user()?.name === user!.name)
  return reachedLimit(
    limits,
    'max-channels',
    own.reduce((sum, { channels }) => sum + channels.size, 0),
  )
}

function closeByClient({ channels, output }: ConnectionRecord, number: number, channel: ServerChannel): void {
  // When both sides close at once, the channel stays until the client has answered the broker's close.
  if (!channel.isClosing()) {
    channel.flush()
    channel.end()
    channels.delete(number)
  }
  output.method(number, { name: 'channel.close-ok' })
}
