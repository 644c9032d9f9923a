import { describe, expect, it } from 'vitest'
import { captureOf, captures } from '../../../../test/fixtures/captures.ts'
import { type Frame, framesOf, parse } from '../../../../test/support/arbitrary/streams.ts'
import { readHeader } from '../../../../test/support/read-header.ts'
import { decodeTable } from './decode-table.ts'
import { encodeTable } from './encode-table.ts'
import { frameTypes } from './frame-parser.ts'
import { decodeMethod, encodeMethod } from './methods.ts'
import { toPlainField } from './plain-fields.ts'
import {
  decodeProperties,
  editProperties,
  encodeProperties,
  type RawProperties,
  readProperty,
} from './properties.ts'

const limits = { bodyBytes: 131_064, headerBytes: 1_048_576 }

describe('what amqplib and a real RabbitMQ say to each other', () => {
  it.each(captures)('is read frame by frame: $version $session, $side', ({ stream }) => {
    const { received, error } = parse([stream], limits)

    const wanted = framesOf(stream)
    const starts = (type: number) => wanted.filter((frame) => frame.type === type).length
    expect(error).toBeUndefined()
    expect(received.filter(({ kind }) => kind === 'method')).toHaveLength(starts(frameTypes.method))
    expect(received.filter(({ kind }) => kind === 'header')).toHaveLength(starts(frameTypes.header))
  })

  it.each(captures)('is the same bytes after decode and encode: $version $session, $side', ({ stream }) => {
    for (const payload of payloadsOf(stream, frameTypes.method)) {
      expect(encodeMethod(decodeMethod(payload))).toEqual(payload)
    }
    for (const raw of propertiesIn(stream)) {
      const headers = readProperty(raw, 'headers')
      expect(encodeProperties(decodeProperties(raw))).toEqual(raw)
      if (headers) expect(encodeTable(decodeTable(headers))).toEqual(headers)
    }
  })

  it.each(['client', 'server'] as const)('has both sides in every session: %s', (side) => {
    const sessions = captures.filter((capture) => capture.side === side).map(({ session }) => session)

    expect(sessions).toEqual(
      captures.filter((capture) => capture.side !== side).map(({ session }) => session),
    )
  })

  it('has a dead letter whose history is read entry by entry', () => {
    const raw = propertiesIn(captureOf('dead-letters', 'server')).at(-1)!

    const history = toPlainField(readHeader(raw, 'x-death')!) as { reason: string; count: number }[]

    expect(history.map(({ reason, count }) => [reason, count])).toEqual([
      ['expired', 1],
      ['rejected', 1],
    ])
    expect(readHeader(raw, 'x-first-death-reason')).toEqual({ type: 'S', value: 'rejected' })
    expect(readHeader(raw, 'int64')).toEqual({ type: 'l', value: 4_503_599_627_370_496n })
  })

  it('has a header frame beyond frame_max, which is read', () => {
    const stream = captureOf('long-header', 'server')
    const tune = decodeMethod(payloadsOf(captureOf('long-header', 'client'), frameTypes.method)[1]!)
    const [header] = payloadsOf(stream, frameTypes.header)

    expect(tune).toMatchObject({ name: 'connection.tune-ok', frameMax: 8192 })
    expect(header!.length + 8).toBeGreaterThan(8192)
    expect(parse([stream], { bodyBytes: 8184, headerBytes: 65_536 }).error).toBeUndefined()
    expect(parse([stream], { bodyBytes: 8184, headerBytes: 8184 }).error).toMatchObject({
      code: 'WIRE_TOO_LARGE',
    })
  })

  it('has messages whose headers can be replaced one by one, all others staying as they came', () => {
    for (const raw of captures.flatMap(({ stream }) => propertiesIn(stream))) {
      const before = decodeTable(readProperty(raw, 'headers') ?? Buffer.alloc(0))
      const added = { name: 'warren-attempt', value: { type: 'I', value: 2 } } as const

      const edited = editProperties(raw, { headers: { set: [added], remove: (name) => name === 'x-death' } })

      const kept = before.filter(({ name }) => name !== 'x-death')
      expect(decodeTable(readProperty(edited, 'headers')!)).toEqual([...kept, added])
    }
  })
})

function payloadsOf(stream: Buffer, type: Frame['type']): readonly Buffer[] {
  return framesOf(stream)
    .filter((frame) => frame.type === type)
    .map(({ payload }) => payload)
}

function propertiesIn(stream: Buffer): readonly RawProperties[] {
  return payloadsOf(stream, frameTypes.header).map((payload) => payload.subarray(12))
}
