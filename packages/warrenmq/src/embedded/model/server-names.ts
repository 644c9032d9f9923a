import { createSeededRandom } from './collections/seeded-random.ts'

/** Makes names of the form RabbitMQ gives, e.g. `amq.gen-4BtTQ0vWk0Mz7jY1Ns5w1A`. The same seed gives the same names. */
export type ServerNames = (prefix: 'amq.gen' | 'amq.ctag') => string

export function createServerNames(seed: number): ServerNames {
  const nextUint32 = createSeededRandom(seed)
  return (prefix) => {
    const bytes = Buffer.allocUnsafe(16)
    for (let at = 0; at < 16; at += 4) bytes.writeUInt32BE(nextUint32(), at)
    return `${prefix}-${bytes.toString('base64url')}`
  }
}
