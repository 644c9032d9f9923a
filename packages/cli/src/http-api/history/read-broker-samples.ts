import { type Management, type SampleRange, steadyClock } from 'warrenmq/operations'
import { shareAnswers } from '../show/share-answers.ts'
import { type BrokerSamples, noSamples } from './history.ts'

/** What RabbitMQ itself remembers of the depth of a queue; every server that asks is told the same. Never throws. */
export type ReadBrokerSamples = (queue: string) => Promise<BrokerSamples>

export interface SampleReaderOptions {
  readonly management: Pick<Management, 'queues' | 'uptimeMs'>
  readonly vhost: string
  /** The broker did not tell; it is not asked again for a minute. */
  readonly onError: (error: unknown) => void
}

/** What RabbitMQ keeps of each queue unless it is told otherwise: ten minutes by 5 s, an hour by 60 s. */
const ranges = { fine: { ageSeconds: 600, everySeconds: 5 }, coarse: { ageSeconds: 3_600, everySeconds: 60 } }
const quietMs = 60_000
/** A chart can be drawn without it. */
const mostPatientMs = 5_000

export function createSampleReader({ management, vhost, onError }: SampleReaderOptions): ReadBrokerSamples {
  const patience = () => ({ signal: AbortSignal.timeout(mostPatientMs) })
  // No sooner than there is another sample.
  const samplesOf = (range: SampleRange) =>
    shareAnswers(range.everySeconds * 1_000, (name) =>
      management.queues.samples({ vhost, name, ...range }, patience()),
    )
  const [readFine, readCoarse] = [samplesOf(ranges.fine), samplesOf(ranges.coarse)]
  const uptime = shareAnswers(ranges.fine.everySeconds * 1_000, () => management.uptimeMs(patience()))
  let quietUntilMs = Number.NEGATIVE_INFINITY

  return async (queue) => {
    if (steadyClock.now() < quietUntilMs) return noSamples
    try {
      const fine = await readFine(queue)
      if (fine.length === 0) return noSamples
      return { fine, coarse: await readCoarse(queue), uptimeMs: await uptime('') }
    } catch (error) {
      // A chart is not worth a request that fails: what this server has seen itself is shown instead.
      quietUntilMs = steadyClock.now() + quietMs
      onError(error)
      return noSamples
    }
  }
}
