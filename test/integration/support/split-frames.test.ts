import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFrameSplitter } from '../../support/proxy/split-frames.ts'

const protocolHeader = Buffer.from('AMQP\x00\x00\x09\x01', 'latin1')
const heartbeat = Buffer.from([8, 0, 0, 0, 0, 0, 0, 0xce])
const basicAck = Buffer.from([1, 0, 5, 0, 0, 0, 4, 0, 60, 0, 80, 0xce])
const contentHeader = Buffer.from([2, 0, 5, 0, 0, 0, 2, 0, 60, 0xce])

test('frames are found however the bytes arrive', () => {
  const stream = Buffer.concat([protocolHeader, basicAck, heartbeat, contentHeader])
  const cuts = fc.array(fc.nat(stream.length), { maxLength: 6 })

  fc.assert(
    fc.property(cuts, (places) => {
      const split = createFrameSplitter()
      const edges = [0, ...places.sort((a, b) => a - b), stream.length]
      const chunks = edges.slice(1).map((end, index) => stream.subarray(edges[index], end))

      const pieces = chunks.flatMap(split)

      expect(Buffer.concat(pieces.map(({ bytes }) => bytes))).toEqual(stream)
      expect(pieces.map(({ frame }) => frame)).toEqual([
        undefined,
        { frameType: 1, channel: 5, classId: 60, methodId: 80 },
        { frameType: 8, channel: 0, classId: undefined, methodId: undefined },
        { frameType: 2, channel: 5, classId: 60, methodId: undefined },
      ])
    }),
  )
})

test('a stream that does not begin like AMQP has no frames', () => {
  const split = createFrameSplitter()
  const hello = Buffer.from([0x16, 0x03, 0x01, 0x02])

  expect(split(hello)).toEqual([{ bytes: hello, frame: undefined }])
  expect(split(basicAck)).toEqual([{ bytes: basicAck, frame: undefined }])
})

test('a stream that loses its end octet passes on without frames', () => {
  const split = createFrameSplitter()
  const broken = Buffer.from([8, 0, 0, 0, 0, 0, 0, 0xcf])
  split(basicAck)

  expect(split(broken)).toEqual([{ bytes: broken, frame: undefined }])
})
