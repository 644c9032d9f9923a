import { type Command, InvalidArgumentError as InvalidOptionError, Option } from 'commander'
import { type Consumer, type ConsumerOptions, httpHandler, jsonLogger, logConsumer } from 'warrenmq'
import {
  createWayLook,
  type LogLevel,
  onSignals,
  openSessionPair,
  pairManagement,
  startConsumer,
} from 'warrenmq/operations'
import type { CliCommand, CommandInput, ExitCode } from '../command.ts'
import { type FoundFlow, findQueueFlow } from '../find-queue-flow.ts'
import { readBrokerOptions } from '../options/broker-options.ts'
import { addConfigOption, readDurationOption } from '../options/config-options.ts'
import { countDeliveries } from '../output/count-deliveries.ts'
import { type DeliveryTally, renderDeliveryStatus } from '../output/render-delivery-status.ts'
import type { Terminal } from '../output/terminal.ts'

/** `warren deliver`: each message of a queue to an HTTP endpoint; its answer decides what becomes of the message. */
export const deliver: CliCommand = {
  name: 'deliver',
  summary: 'push the messages of a queue to an HTTP endpoint, until stopped',
  example: 'warren deliver --queue billing.orders --url https://billing.example/orders',
  configure: (command) => {
    addDeliveryOptions(command)
    command
      .option('--broker <url>', 'the broker (also AMQP_URL; default: amqp://localhost)')
      .option(
        '--management-url <url>',
        'its HTTP API (also MANAGEMENT_URL), to find the retries of the queue',
      )
      .option('--vhost <name>', 'the vhost (default: the path of --broker, or /)')
    addConfigOption(command)
  },
  run: async (input, terminal) => {
    const options = input.options as unknown as DeliverOptions
    const handler = httpHandler({
      url: options.url,
      method: options.method,
      headers: Object.fromEntries(options.header ?? []),
      timeout: options.timeout,
      ...secretFrom(input),
    })
    const address = readBrokerOptions({ options: { ...options, url: options.broker }, env: input.env })
    const name = `warren deliver ${options.queue}`
    const { consuming, publishing } = await openSessionPair(
      address.url,
      { name },
      { name: `${name} publishing` },
    )
    const management = pairManagement(consuming, address)
    try {
      const found = await findQueueFlow(options.queue, { input, address, session: consuming })
      const consumer = startConsumer({
        consuming,
        publishing,
        flow: found.flow,
        handler,
        wayLook: createWayLook(() => management),
        options: consumerOptions(options),
      })
      return await deliverUntilTold({ consumer, options, found, terminal })
    } finally {
      management.close()
      await Promise.all([consuming.close(), publishing.close()])
    }
  },
}

interface DeliverOptions {
  readonly queue: string
  readonly url: string
  readonly method: string
  readonly header?: readonly Header[]
  readonly timeout: number
  readonly concurrency: number
  readonly preset?: 'warren' | 'event-bus'
  readonly breaker?: true
  readonly secretEnv: string
  readonly deadline: number
  readonly logLevel: LogLevel
  readonly broker?: string
}

function addDeliveryOptions(command: Command): void {
  command
    .requiredOption('--queue <name>', 'the queue, by its name in the config or on the broker')
    .requiredOption('--url <url>', 'the endpoint, http:// or https://')
    .addOption(
      new Option('--method <method>', 'the HTTP method')
        .choices(['POST', 'PUT', 'PATCH', 'DELETE'])
        .default('POST'),
    )
    .option('--header <name: value>', 'sent with every request; can be repeated', addHeader)
    .addOption(durationOption('--timeout <duration>', 'how long the endpoint may take to answer'))
    .option('--concurrency <number>', 'requests at a time', readCount, 10)
    .addOption(
      new Option('--preset <name>', "what a status means (default: the layout's own)").choices([
        'warren',
        'event-bus',
      ]),
    )
    .option('--breaker', 'pause while most requests fail, and probe until they work again')
    .option('--secret-env <name>', 'the environment variable that holds the HMAC secret', 'WARREN_SECRET')
    .addOption(durationOption('--deadline <duration>', 'how long requests in flight may take to finish'))
    .addOption(
      new Option('--log-level <level>', 'the lowest level of log lines')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('info'),
    )
}

function durationOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(readDurationOption).default(30_000, '30s')
}

function consumerOptions({ concurrency, preset, breaker }: DeliverOptions): ConsumerOptions {
  return {
    concurrency,
    ...(preset !== undefined && { statusTable: preset }),
    ...(breaker === true && { breaker }),
  }
}

/** A secret never stands on the command line, where every user of the machine could read it. */
function secretFrom({ options, env }: CommandInput): { readonly secret?: string } {
  const secret = env[(options as unknown as DeliverOptions).secretEnv]
  return secret === undefined || secret === '' ? {} : { secret }
}

interface Delivering {
  readonly consumer: Consumer
  readonly options: DeliverOptions
  readonly found: FoundFlow
  readonly terminal: Terminal
}

async function deliverUntilTold({ consumer, options, found, terminal }: Delivering): Promise<ExitCode> {
  const tally = countDeliveries(consumer.events)
  let unfinished = 0
  consumer.events.on('consumer.closed', (event) => {
    unfinished = event.unfinished
  })
  const signalled = new Promise<void>((resolve) => onSignals(['SIGTERM', 'SIGINT'], () => resolve()))
  const stopTelling = tell({ consumer, options, found, terminal }, tally)
  await signalled
  await consumer.close({ deadline: options.deadline })
  stopTelling()
  if (terminal.isInteractive) terminal.say(summaryOf(tally, unfinished))
  terminal.result({ queue: found.flow.queue, ...tally, unfinished })
  return unfinished > 0 ? 3 : 0
}

/** A line that moves for people; for everybody else JSON lines, as services write them. */
function tell({ consumer, options, found, terminal }: Delivering, tally: DeliveryTally): () => void {
  const caution = cautionOf(found)
  if (!terminal.isInteractive) {
    const logger = jsonLogger({ level: options.logLevel, write: (line) => terminal.say(line.trimEnd()) })
    if (caution !== undefined) logger.warn({ queue: consumer.queue }, caution)
    return logConsumer(consumer, logger)
  }
  if (caution !== undefined) terminal.say(terminal.paint('yellow', caution))
  const stops = [
    logConsumer(consumer, {
      debug: () => {},
      info: (_, message) => terminal.say(message),
      warn: (_, message) => terminal.say(terminal.paint('yellow', message)),
      error: (_, message) => terminal.say(terminal.paint('red', message)),
    }),
    showStatus({ consumer, terminal, tally }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

function showStatus(fields: {
  readonly consumer: Consumer
  readonly terminal: Terminal
  readonly tally: DeliveryTally
}): () => void {
  const { consumer, terminal, tally } = fields
  let isConnected = false
  consumer.events.on('consumer.started', () => {
    isConnected = true
  })
  consumer.events.on('consumer.interrupted', () => {
    isConnected = false
  })
  const timer = setInterval(() => {
    const { queue, breaker, counts } = consumer
    terminal.progress(renderDeliveryStatus({ queue, tally, running: counts.running, breaker, isConnected }))
  }, 200)
  return () => clearInterval(timer)
}

function cautionOf({ flow, source }: FoundFlow): string | undefined {
  if (flow.park) return undefined
  const why =
    source === 'unknown'
      ? 'Neither a config nor the management API says how this queue is retried'
      : 'This queue has neither retries nor a dead-letter queue'
  return `${why}: a failed message is kept and tried again with growing pauses. Name a --config, or declare a dead-letter queue.`
}

function summaryOf(tally: DeliveryTally, unfinished: number): string {
  const left = unfinished === 0 ? '' : ` ${unfinished} did not finish in time and went back to the queue.`
  return `${tally.delivered} delivered, ${tally.retried} scheduled for retry, ${tally.deadLettered} dead-lettered.${left}`
}

type Header = readonly [name: string, value: string]

function addHeader(text: string, previous: readonly Header[] = []): readonly Header[] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new InvalidOptionError(`"${text}" is not a header. Write "name: value".`)
  return [...previous, [name, value]]
}

function readCount(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1 && count <= 30_000) return count
  throw new InvalidOptionError('It must be a whole number from 1 to 30000.')
}
