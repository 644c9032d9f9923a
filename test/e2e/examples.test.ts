import { execFile } from 'node:child_process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startPostgres } from '../support/services/start-postgres.ts'
import { startRedis } from '../support/services/start-redis.ts'
import { useService } from '../support/services/use-service.ts'
import { sharedBroker } from '../support/shared-broker.ts'
import { createVhost } from '../support/use-broker.ts'

const redis = await useService(startRedis)
const postgres = await useService(startPostgres)

/** The one that behaves as the broker of this run, so that each version has its turn. */
const profile = ['3.10', '4.0'].find((name) => sharedBroker().version.startsWith(`${name}.`)) ?? '4.3'

/** Where the examples run. A virtual clock makes the delays of the documents free; a real broker gets shorter ones. */
interface Place {
  readonly name: string
  readonly delays: readonly string[]
  readonly seconds: RegExp
  open(): Promise<Record<string, string>>
}

const places: readonly Place[] = [
  {
    name: 'the embedded broker, with the delays of the documents in virtual time',
    delays: ['30s', '5m', '30m'],
    seconds: /^2130 s from the first attempt to the last$/m,
    open: async () => ({ BROKER_PROFILE: profile }),
  },
  {
    name: 'a real broker, with shorter delays',
    delays: ['200ms', '300ms', '400ms'],
    seconds: /^\d+ s from the first attempt to the last$/m,
    open: async () => {
      const { url, managementUrl, username, password, drop } = await createVhost()
      onTestFinished(drop)
      const management = new URL(managementUrl)
      management.username = username
      management.password = password
      return {
        AMQP_URL: url,
        MANAGEMENT_URL: management.href,
        RETRY_DELAY: '200ms',
        RETRY_DELAYS: '200ms,300ms,400ms',
      }
    },
  },
]

describe.each(places)('on $name', ({ open, delays, seconds }) => {
  it('Ratatoskr tries a slow carrier again, parks a wrong address at once and a dead carrier after three retries', async () => {
    const { story, result } = await runExample(1, await open())

    expect(result).toEqual([
      'good          acknowledge',
      'carrier-slow  retry, retry, acknowledge',
      'wrong-address dead-letter, acknowledge',
      'carrier-down  retry, retry, retry, dead-letter, acknowledge',
      'was in my-service.events.dlq: wrong-address, x-retry-count 0, "the address does not exist"',
      'was in my-service.events.dlq: carrier-down, x-retry-count 3, "the carrier does not answer"',
    ])
    expect(story).toContain('2 = 2 moved + 0 failed + 0 kept + 0 still there')
  })

  it('event-bus has an outcome for each status, parks after ten retries, and counts on after the move', async () => {
    const { story, result } = await runExample(2, await open())

    expect(result).toEqual(eventBusResult({ tooEarly: 'hold' }))
    const logged = jsonLines(story).map(({ messageId, code, attempt }) => ({ messageId, code, attempt }))
    const code = 'RABBITMQ_MESSAGE_MAX_RETRIES_EXCEEDED'
    expect(logged).toHaveLength(2)
    expect(logged).toContainEqual({ messageId: 'always 503', code, attempt: 11 })
    expect(logged).toContainEqual({ messageId: 'always an exception', code, attempt: 11 })
  })

  it('event-bus to the letter sleeps and requeues what is too early, and does everything else alike', async () => {
    const { result } = await runExample(2, { ...(await open()), EXACT: 'yes' })

    expect(result).toEqual(eventBusResult({ tooEarly: 'give-back' }))
  })

  it('FreeFlow climbs its three tiers, parks in the shared DLQ and is put back into the domain that failed', async () => {
    const { story, result } = await runExample(3, await open())

    expect(result.filter((line) => !line.endsWith('from the first attempt to the last'))).toEqual([
      'document.uploaded: attempt 1, acknowledge',
      'document.uploaded: attempt 1, dead-letter',
      'user.created: attempt 1, acknowledge',
      ...delays.map((delay, at) => `user.created: attempt ${at + 1}, retry user.${delay}`),
      'user.created: attempt 4, dead-letter',
      'was in freeflow.events.dlq: document.uploaded',
      '  x-retry-count: 1',
      '  x-original-exchange: freeflow.events',
      '  x-original-routing-key: document.uploaded',
      '  x-final-error: the document is empty',
      'was in freeflow.events.dlq: user.created',
      '  x-retry-count: 4',
      '  x-original-exchange: freeflow.events',
      '  x-original-routing-key: user.created',
      '  x-final-error: the directory does not answer',
    ])
    expect(result.join('\n')).toMatch(seconds)
    expect(story).toMatch(/1 to freeflow\.(document|user)\n {2}1 to freeflow\.(document|user)\n/)
  })

  it('isolated fails three times, parks, is re-driven through retry.q.X and processed once, seen by nobody else', async () => {
    const { story, result } = await runExample(4, await open())

    expect(result).toEqual([
      'q.thumbnail     attempts 1, 2, 3, 1; processed 1 time',
      'q.thumbnail.dlq 0 left',
      're-driven       by ana, because the thumbnailer has more memory',
      'nobody else saw it twice: q.audit, q.extractor, q.projection',
    ])
    expect(story).toContain('1 to retry.q.thumbnail retry')
    const about = {
      queue: 'q.thumbnail',
      correlationId: 'upload-7',
      routingKey: 'files.validated.png',
      messageType: 'FileValidated',
    }
    expect(jsonLines(story)).toMatchObject([
      { ...about, attempt: 1, outcome: 'retry' },
      { ...about, attempt: 2, outcome: 'retry' },
      { ...about, attempt: 3, outcome: 'dead-letter' },
    ])
  })

  it('the recovery service recovers by type, keeps what failed and what it does not know, and tries again at its next start', async () => {
    const { story, result } = await runExample(5, await open())

    expect(result).toEqual([
      'cache.generation: 8 done',
      'collection.scan: 2000 done',
      'thumbnail.generation: 100 done',
      'thumbnail.generation: 50 done',
      'image.processing: 12 done',
      'first start: 2108 recovered, 50 failed, 12 kept',
      'second start: exit code 3, because something was kept; after the review: 0',
    ])
    expect(story).toContain('🔄 Starting DLQ Recovery Service...')
    expect(story).toContain('📦 Recovered 1000 messages so far...')
    expect(story).toContain(firstSummary)
    expect(story).toContain('⚠️  12 messages still in DLQ (will retry on next startup)')
  })
})

function eventBusResult({ tooEarly }: { readonly tooEarly: string }): readonly unknown[] {
  return [
    '200                 acknowledge',
    '400                 retry, acknowledge',
    '409                 retry, acknowledge',
    `425                 ${tooEarly}, acknowledge`,
    '429                 retry, acknowledge',
    '500                 retry, acknowledge',
    'exception           retry, acknowledge',
    'always 503          10 x retry, dead-letter, acknowledge',
    'always an exception 10 x retry, dead-letter, acknowledge',
    'was in wms.dlq.wms-cincout: always 503',
    '  x-original-queue: wms.queue.wms-cincout',
    '  x-final-status-code: 503',
    '  x-final-error: answered with 503',
    '  x-final-retry-count: 10',
    'was in wms.dlq.wms-cincout: always an exception',
    '  x-original-queue: wms.queue.wms-cincout',
    expect.stringMatching(/^ {2}x-final-error: the service could not be reached: ./),
    '  x-final-retry-count: 10',
    'after the move: attempts 12 and 12',
    'wms-billing handled 9 events, and saw no retry',
  ]
}

const firstSummary = `================================
📊 DLQ RECOVERY SUMMARY
================================
✅ Total Recovered: 2108 messages
❌ Total Failed: 50 messages (kept in DLQ for retry)
⚠️  Skipped Messages: 12 (unknown type, kept in DLQ for manual review)

Successfully Recovered By Queue:
   cache.generation: 8
   collection.scan: 2000
   thumbnail.generation: 100

Failed Recoveries By Queue:
   thumbnail.generation: 50
================================
⚠️  62 messages still in DLQ (will retry on next startup)
`

describe('a payment that is published twice is paid once', () => {
  it.skipIf(!redis)('with the store on Redis', async () => {
    const { url, drop } = await createVhost()
    onTestFinished(drop)

    const said = await run('examples/dedupe-redis/consume-once.ts', { AMQP_URL: url, REDIS_URL: redis!.url })

    expect(said).toBe('2 deliveries, paid 1 time\n')
  })

  it.skipIf(!postgres)('with the store on PostgreSQL', async () => {
    const { url, drop } = await createVhost()
    onTestFinished(drop)
    const address = { AMQP_URL: url, DATABASE_URL: postgres!.url }

    const said = await run('examples/dedupe-postgres/consume-once.ts', address)

    expect(said).toBe('2 deliveries, paid 1 time, 0 forgotten\n')
  })
})

it('an example that does not exist is answered with those that do', async () => {
  await expect(runExample(9, {})).rejects.toThrow('npm run example 1 (1-ratatoskr)')
})

/** Runs an example as `npm run example` does, and parts its story from its result. */
async function runExample(
  number: number,
  address: Record<string, string>,
): Promise<{ story: string; result: readonly string[] }> {
  const stdout = await run('examples/run.ts', address, String(number))
  const [story = '', result = ''] = stdout.split('\nResult\n')
  const lines = result.trimEnd().split('\n')
  return { story, result: lines.filter((line) => !line.startsWith('{')) }
}

/** Runs a program of ours to its end and gives what it said. */
function run(file: string, address: Record<string, string>, ...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', ...address }
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['--import', 'jiti/register', file, ...args],
      { env, timeout: 110_000 },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${stdout}\n${stderr}`, { cause: error }))
        else resolve(stdout)
      },
    )
  })
}

function jsonLines(text: string): readonly Record<string, unknown>[] {
  const lines = text.split('\n').filter((line) => line.startsWith('{'))
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}
