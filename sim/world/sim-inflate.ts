import { EventEmitter } from 'node:events'
import { constants, inflateRawSync } from 'node:zlib'
import type { SimLoop } from './sim-loop.ts'

/** Unpacks what can be unpacked, as Node's stream does, but in the turns of this world and not on a thread. */
export class SimInflate extends EventEmitter {
  readonly #loop: SimLoop
  #isDestroyed = false

  constructor(loop: SimLoop) {
    super()
    this.#loop = loop
  }

  destroy(): void {
    this.#isDestroyed = true
  }

  end(packed: Buffer): void {
    const { current } = this.#loop
    this.#loop.soon(current, 'inflate', () => {
      const { content, isWhole } = unpackPart(packed)
      if (content.length > 0) this.emit('data', content)
      if (!this.#isDestroyed) this.emit(isWhole ? 'end' : 'error', new Error('incorrect data'))
    })
  }
}

/** As much from the beginning as is not damaged. */
function unpackPart(packed: Buffer): { content: Buffer; isWhole: boolean } {
  const all = tryUnpack(packed)
  if (all) return { content: all, isWhole: true }
  let content: Buffer = Buffer.alloc(0)
  let good = 0
  for (let bad = packed.length; bad - good > 1; ) {
    const middle = (good + bad) >> 1
    const part = tryUnpack(packed.subarray(0, middle))
    if (part) [good, content] = [middle, part]
    else bad = middle
  }
  return { content, isWhole: false }
}

function tryUnpack(packed: Buffer): Buffer | undefined {
  try {
    return inflateRawSync(packed, { finishFlush: constants.Z_SYNC_FLUSH })
  } catch {
    return undefined
  }
}
