import { type CallApi, callOrUndefined, createApi } from '../../broker/management/call-api.ts'
import { createAgent } from '../../broker/management/http-request.ts'
import { asRecord, asRecords, flagField, numberField } from '../../broker/management/json-fields.ts'
import { parseManagementUrl } from '../../broker/management/management-url.ts'
import { shareAnswers } from '../share-answers.ts'
import { type BrokerSamples, noSamples, type Sample } from './history-state.ts'

/** What RabbitMQ itself remembers of depths. Every server that asks is told the same. */
export interface SampleReader {
  /** Nothing where the broker keeps no samples, or does not give them to us. */
  read(queue: string): Promise<BrokerSamples>
  close(): void
}

export interface SampleReaderOptions {
  readonly managementUrl: string
  readonly vhost: string
  /** The broker did not tell; it is not asked again for a minute. */
  readonly onError: (error: unknown) => void
}

/** What RabbitMQ keeps of each queue unless it is told otherwise: ten minutes by 5 s, an hour by 60 s. */
const ranges = { fine: { ageSeconds: 600, everySeconds: 5 }, coarse: { ageSeconds: 3_600, everySeconds: 60 } }
type Range = (typeof ranges)['fine']
const quietMs = 60_000

export function openSampleReader({ managementUrl, vhost, onError }: SampleReaderOptions): SampleReader {
  const address = parseManagementUrl(managementUrl)
  const agent = createAgent({ isTls: address.isTls, maxSockets: 4, tls: {} })
  const endpoint = { address, agent, timeoutMs: 5_000, maxResponseBytes: 1024 * 1024 }
  const callApi = createApi(endpoint, { maxConcurrent: 4 })
  // No sooner than there is another sample.
  const samplesOf = (range: Range) =>
    shareAnswers(range.everySeconds * 1_000, (queue) => readRange(callApi, { vhost, queue, range }))
  const [readFine, readCoarse] = [samplesOf(ranges.fine), samplesOf(ranges.coarse)]
  const uptime = shareAnswers(ranges.fine.everySeconds * 1_000, () => readUptime(callApi))
  let quietUntilMs = 0

  async function ask(queue: string): Promise<BrokerSamples> {
    if (Date.now() < quietUntilMs) return noSamples
    try {
      const fine = await readFine(queue)
      if (fine.length === 0) return noSamples
      return { fine, coarse: await readCoarse(queue), uptimeMs: await uptime('') }
    } catch (error) {
      // A chart is not worth a request that fails: what this server has seen itself is shown instead.
      quietUntilMs = Date.now() + quietMs
      onError(error)
      return noSamples
    }
  }

  return { read: ask, close: () => agent.destroy() }
}

async function readRange(
  callApi: CallApi,
  asked: { vhost: string; queue: string; range: Range },
): Promise<readonly Sample[]> {
  const { vhost, queue, range } = asked
  const answer = await callOrUndefined(callApi, {
    method: 'GET',
    path: ['queues', vhost, queue],
    query: {
      lengths_age: range.ageSeconds,
      lengths_incr: range.everySeconds,
      columns: 'messages_details.samples',
    },
    subject: `samples of queue "${queue}"`,
  })
  const details = asRecord(asRecord(answer?.json).messages_details)
  return asRecords(details.samples)
    .flatMap((each) => {
      const [atMs, messages] = [numberField(each, 'timestamp'), numberField(each, 'sample')]
      return atMs === undefined || messages === undefined ? [] : [{ atMs, messages: Math.round(messages) }]
    })
    .toSorted((left, right) => left.atMs - right.atMs)
}

/** For how long all nodes have been up; undefined where one is down, or we are not told. */
async function readUptime(callApi: CallApi): Promise<number | undefined> {
  const { json } = await callApi({
    ...{ method: 'GET', path: ['nodes'], query: { columns: 'running,uptime' }, subject: 'nodes' },
    accept: [401, 403], // takes the tag `monitoring`
  })
  const nodes = asRecords(json)
  const uptimes = nodes.map((node) => (flagField(node, 'running') ? numberField(node, 'uptime') : undefined))
  return uptimes.length === 0 || uptimes.includes(undefined) ? undefined : Math.min(...(uptimes as number[]))
}
