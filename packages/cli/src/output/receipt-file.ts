import { open, rm, stat, writeFile } from 'node:fs/promises'
import { InvalidArgumentError, type Receipt } from 'warrenmq'
import type { Terminal } from './terminal.ts'

/** Where a receipt will be written, once there is one. */
export interface ReceiptFile {
  /** False: the messages were moved and the file is not there; the receipt was shown instead. */
  write(receipt: Receipt, terminal: Terminal): Promise<boolean>
}

/**
 * Asked before anything moves, and leaves no trace: a file that was not there is not there afterwards. One that holds
 * something is refused: it is most likely the receipt of an earlier run, the only proof of what that one moved.
 */
export async function openReceiptFile(file: string): Promise<ReceiptFile> {
  const { isNew } = await probe(file)
  return {
    write: async (receipt, terminal) => {
      const text = `${JSON.stringify(receipt, null, 2)}\n`
      try {
        await writeFile(file, text, { flag: isNew ? 'wx' : 'w' }) // somebody may have made one since
        return true
      } catch (error) {
        // The messages are where they are by now, so a disk that is full keeps nobody from the receipt on the screen.
        terminal.say(
          `The receipt could not be written: ${(error as Error).message}. Save it yourself:\n${text}`,
        )
        return false
      }
    },
  }
}

async function probe(file: string): Promise<{ isNew: boolean }> {
  if (await holdsSomething(file)) {
    throw new InvalidArgumentError(
      `Nothing was moved: ${file} is not empty; it may hold the receipt of an earlier run. ` +
        'Name another file with --receipt, or move this one away.',
    )
  }
  try {
    const created = await open(file, 'ax').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
      return undefined
    })
    await (created ?? (await open(file, 'a'))).close()
    if (created) await rm(file)
    return { isNew: created !== undefined }
  } catch (cause) {
    throw new InvalidArgumentError(
      `Nothing was moved: the receipt cannot be written (--receipt): ${(cause as Error).message}.`,
      { cause },
    )
  }
}

/** A device or a pipe holds nothing, and neither does what `mktemp` makes. */
async function holdsSomething(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined) // whoever cannot see it is told so on the try to write
  return found?.isFile() === true && found.size > 0
}
