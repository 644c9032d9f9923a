import { connect } from 'node:net'
import { eventually } from '../eventually.ts'

export interface Endpoints {
  readonly amqpPort: number
  readonly managementUrl: string
  readonly username: string
  readonly password: string
}

/**
 * Settles when both doors of the broker really answer, and gives the version that it says it has. `died`
 * rejects when the broker has ended: one that refuses its configuration need not be waited for.
 */
export async function awaitReady(
  endpoints: Endpoints,
  { timeoutMs, died }: { timeoutMs: number; died: Promise<never> },
): Promise<string> {
  const giveUp = new AbortController()
  const ready = eventually(() => readVersion(endpoints), {
    timeoutMs,
    intervalMs: 100,
    what: 'the broker to answer on AMQP and HTTP',
    signal: giveUp.signal,
  })
  try {
    return await Promise.race([ready, died])
  } finally {
    giveUp.abort()
    await ready.catch(() => undefined)
  }
}

async function readVersion(endpoints: Endpoints): Promise<string> {
  await greetAmqp(endpoints.amqpPort)
  const { username, password, managementUrl } = endpoints
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const answer = await fetch(`${managementUrl}/api/overview`, {
    headers: { authorization },
    signal: AbortSignal.timeout(5_000),
  })
  const overview = (await answer.json()) as { rabbitmq_version?: string }
  if (!answer.ok || !overview.rabbitmq_version) throw new Error(`/api/overview answered ${answer.status}.`)
  return overview.rabbitmq_version
}

/** Sends the protocol header and waits for the first byte of connection.start. */
function greetAmqp(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const give = (error?: Error) => {
      socket.destroy()
      if (error) reject(error)
      else resolve()
    }
    socket.setTimeout(5_000, () => give(new Error('no answer on the AMQP port within 5 s')))
    socket.once('error', give)
    socket.once('close', () => give(new Error('the AMQP port closed the connection')))
    socket.once('data', (bytes) =>
      give(bytes[0] === 1 ? undefined : new Error('the AMQP port speaks no AMQP')),
    )
    socket.write(Buffer.from('AMQP\x00\x00\x09\x01', 'latin1'))
  })
}
