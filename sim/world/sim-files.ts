import type { FileHandle } from 'node:fs/promises'
import type { Random } from './random.ts'
import type { SimLoop } from './sim-loop.ts'

interface SimFile {
  bytes: Buffer
  size: number
}

/** Files in memory. They outlive the processes that write them. */
export class SimFiles {
  /** So many bytes may still be written; undefined: as many as anybody likes. */
  roomBytes: number | undefined
  readonly #files = new Map<string, SimFile>()
  readonly #loop: SimLoop
  readonly #random: Random

  constructor(loop: SimLoop, random: Random) {
    this.#loop = loop
    this.#random = random
  }

  list(): readonly string[] {
    return [...this.#files.keys()]
  }

  /** What is in a file now, without waiting. */
  peek(path: string): Buffer {
    const file = this.#files.get(path)
    return file ? file.bytes.subarray(0, file.size) : Buffer.alloc(0)
  }

  async open(path: string, flags: string): Promise<FileHandle> {
    await this.#wait()
    const isFolder = path === '.' || path.endsWith('/')
    let file = this.#files.get(path)
    if (!file && !isFolder) {
      if (flags === 'r' || flags === 'r+')
        throw fileError('ENOENT', `no such file or directory, open '${path}'`)
      file = { bytes: Buffer.alloc(256), size: 0 }
      this.#files.set(path, file)
    }
    return this.#handleOf(file ?? { bytes: Buffer.alloc(0), size: 0 })
  }

  async readText(path: string): Promise<string> {
    await this.#wait()
    const file = this.#files.get(path)
    if (!file) throw fileError('ENOENT', `no such file or directory, open '${path}'`)
    return file.bytes.toString('utf8', 0, file.size)
  }

  /** Resolves a moment later in the same process; never, when that is dead by then. */
  #wait(): Promise<void> {
    const { current } = this.#loop
    return new Promise((resolve) => {
      this.#loop.after(0.05 + this.#random.next(), current, 'file', resolve)
    })
  }

  #handleOf(file: SimFile): FileHandle {
    const handle = {
      stat: async () => {
        await this.#wait()
        return { size: file.size }
      },
      read: async (buffer: Buffer, offset: number, length: number, position: number) => {
        await this.#wait()
        const bytesRead = file.bytes.copy(buffer, offset, position, Math.min(file.size, position + length))
        return { buffer, bytesRead }
      },
      write: async (buffer: Buffer, offset: number, length: number, position: number) => {
        await this.#wait()
        const bytesWritten = this.#takeRoom(length)
        put(file, buffer.subarray(offset, offset + bytesWritten), position)
        return { buffer, bytesWritten }
      },
      appendFile: async (text: string) => {
        await this.#wait()
        const bytes = Buffer.from(text)
        const taken = this.#takeRoom(bytes.length)
        put(file, bytes.subarray(0, taken), file.size)
        if (taken < bytes.length) throw fileError('ENOSPC', 'no space left on device, write')
      },
      sync: () => this.#wait(),
      close: () => this.#wait(),
    }
    return handle as unknown as FileHandle
  }

  /** A disk that is nearly full takes a part of a write, and fails the next. */
  #takeRoom(length: number): number {
    if (this.roomBytes === undefined) return length
    if (this.roomBytes === 0) throw fileError('ENOSPC', 'no space left on device, write')
    const taken = Math.min(length, this.roomBytes)
    this.roomBytes -= taken
    return taken
  }
}

function put(file: SimFile, bytes: Buffer, position: number): void {
  const end = position + bytes.length
  if (end > file.bytes.length) {
    const larger = Buffer.alloc(Math.max(end, file.bytes.length * 2))
    file.bytes.copy(larger, 0, 0, file.size)
    file.bytes = larger
  }
  bytes.copy(file.bytes, position)
  file.size = Math.max(file.size, end)
}

function fileError(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${message}`), { code })
}
