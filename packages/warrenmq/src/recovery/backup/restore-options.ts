import type { LookPermission } from '../look/prepare-look.ts'

/** Which backup to put back, and where. */
export interface RestoreOptions extends Omit<LookPermission, 'queue'> {
  /**
   * The backup to restore.
   * @example { file: 'orders.backup' }
   */
  readonly file: string
  /**
   * Where the messages go.
   * @default the queue that the backup was made of
   * @example { queue: 'orders.dlq' }
   */
  readonly queue?: string | undefined
  /**
   * Who does it.
   * @example { by: 'anna' }
   */
  readonly by: string
  /**
   * Called for each record: how many are done, of the records in the file.
   * @example { onProgress: (done, records) => console.log(done, 'of', records) }
   */
  readonly onProgress?: ((done: number, records: number) => void) | undefined
}
