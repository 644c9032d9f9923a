import type { OnReadOpts, Socket } from 'node:net'

const slabBytes = 128 * 1024
/** With less room than this a read would bring too little: the next one gets a new slab. */
const leastRoomBytes = 32 * 1024

/**
 * Lets a plain socket read into large slabs, one read behind the other, and hands the bytes on as its `data`
 * events. Node else makes and cuts 64 KiB for every read, which costs more than the messages in it when a
 * broker sends a few at a time. What was read is never written over, so a message may keep its view for as
 * long as it likes.
 */
export function readIntoSlabs(socket: () => Socket): OnReadOpts {
  let room = Buffer.allocUnsafeSlow(slabBytes)
  return {
    buffer: () => room,
    callback: (bytes) => {
      const chunk = room.subarray(0, bytes)
      room = room.length - bytes >= leastRoomBytes ? room.subarray(bytes) : Buffer.allocUnsafeSlow(slabBytes)
      socket().emit('data', chunk)
      return true
    },
  }
}
