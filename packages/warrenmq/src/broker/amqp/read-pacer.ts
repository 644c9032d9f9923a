/** Waiting before the next read lets more bytes come together, so that a wake-up brings many messages. */
export interface ReadPacer {
  /** Told the size of a read: is it worth to wait a moment before the next one? */
  shouldWait(bytes: number, hasMoreToCome: () => boolean): boolean
}

/** A read of less than this is an answer or a confirm, which somebody waits for. */
const leastBytes = 4 * 1024
/** A read of this much is worth its wake-up. */
const enoughBytes = 32 * 1024
/** Waiting pays when it brings this many times what comes without it. */
const worthwhileGain = 2
const firstPauseReads = 64
const longestPauseReads = 4096
/** After this many reads with a wait, one without it shows what comes by itself now. */
const readsBetweenSamples = 256

/**
 * Decides by trying. A broker that has much to send fills the connection while we wait, and nothing is slower for
 * it. One that waits for our acks sends nothing more: then waiting only costs time, and it is left alone for
 * longer and longer.
 */
export function createReadPacer(): ReadPacer {
  let bytesWithoutWait = 0
  let hasWaited = false
  let readsWithWait = 0
  let pause = 0
  let nextPause = firstPauseReads

  function judgeWait(bytes: number): void {
    if (bytes >= Math.min(bytesWithoutWait * worthwhileGain, enoughBytes)) {
      nextPause = firstPauseReads
      return
    }
    pause = nextPause
    nextPause = Math.min(nextPause * 2, longestPauseReads)
  }

  return {
    shouldWait: (bytes, hasMoreToCome) => {
      if (hasWaited) judgeWait(bytes)
      else bytesWithoutWait = bytes
      hasWaited = false
      if (pause > 0) {
        pause -= 1
        return false
      }
      if (bytes < leastBytes || bytes >= enoughBytes || !hasMoreToCome()) return false
      readsWithWait = (readsWithWait + 1) % readsBetweenSamples
      hasWaited = readsWithWait !== 0
      return hasWaited
    },
  }
}
