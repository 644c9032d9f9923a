import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { nameKey, type ServerKeys } from './server-keys.ts'

/** Who wrote a record, as far as it is proved. */
export type Proof =
  /** By somebody with one of our keys, into this very stream. `number` counts the records of one writer. */
  | {
      readonly kind: 'signed'
      readonly writer: string
      readonly number: number
      /** The writer sent it a second time, since it had no answer to the first. */
      readonly isSentAgain: boolean
    }
  /** As 0.1 wrote them, and as anybody can who may write to the stream. */
  | { readonly kind: 'unsigned' }
  /** The seal is of no key that we have, or of another record or stream. */
  | { readonly kind: 'not-ours'; readonly key: string | undefined }

/** Seals the records of one stream, and judges the seals of others. */
export interface RecordSeals {
  /** For the header `sealHeader`. `before`: the seal with which the same record was sent the first time. */
  seal(body: Buffer, before?: string): string
  judge(seal: string | undefined, body: Buffer): Proof
}

/** The seal stands beside the body, so that a server of 0.1 reads the body as it always did. */
export const sealHeader = 'warren-seal'

/** `1 <key> <writer> <number> <code>`; a number with a plus is sent for the second time. */
const form = /^1 ([0-9a-f]{8}) ([0-9a-f-]{36}) (\d{1,15})(\+?) ([0-9a-f]{64})$/

/**
 * A record of one stream is none of another, nor of the same stream in another vhost: each has a key of its own, made
 * of the servers' key.
 */
export function createRecordSeals(
  { keys }: ServerKeys,
  { vhost, stream }: { readonly vhost: string; readonly stream: string },
): RecordSeals {
  const place = JSON.stringify(['warren-records/1', vhost, stream])
  const derived = keys.map((key) => ({
    name: nameKey(key),
    secret: createHmac('sha256', key).update(place).digest(),
  }))
  const writing = derived[0]!
  const writer = randomUUID()
  let number = 0
  return {
    seal: (body, before) => {
      if (before === undefined) number += 1
      const counted = before === undefined ? `${number}` : `${form.exec(before)?.[3]}+`
      const head = `1 ${writing.name} ${writer} ${counted}`
      return `${head} ${codeOf(writing.secret, head, body).toString('hex')}`
    },
    judge: (seal, body) => {
      if (seal === undefined) return { kind: 'unsigned' }
      const [, name, by = '', count = '', again = '', code = ''] = form.exec(seal) ?? []
      const known = derived.filter((each) => each.name === name)
      const head = seal.slice(0, seal.lastIndexOf(' '))
      const given = Buffer.from(code, 'hex')
      const isOurs = known.some(({ secret }) => timingSafeEqual(codeOf(secret, head, body), given))
      return isOurs
        ? { kind: 'signed', writer: by, number: Number(count), isSentAgain: again !== '' }
        : { kind: 'not-ours', key: known.length > 0 ? undefined : name }
    },
  }
}

function codeOf(secret: Buffer, head: string, body: Buffer): Buffer {
  return createHmac('sha256', secret).update(head).update('\n').update(body).digest()
}
