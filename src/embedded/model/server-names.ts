/** Makes names of the form RabbitMQ gives, e.g. `amq.gen-4BtTQ0vWk0Mz7jY1Ns5w1A`. The same seed gives the same names. */
export type ServerNames = (prefix: 'amq.gen' | 'amq.ctag') => string

export function createServerNames(seed: number): ServerNames {
  let state = seed >>> 0

  /** Mulberry32: small, fast and good enough for names that must only differ. */
  function nextUint32(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }

  return (prefix) => {
    const bytes = Buffer.allocUnsafe(16)
    for (let at = 0; at < 16; at += 4) bytes.writeUInt32BE(nextUint32(), at)
    return `${prefix}-${bytes.toString('base64url')}`
  }
}
