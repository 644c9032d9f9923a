import type { LookPermission } from '../look/prepare-look.ts'

export interface RestoreOptions extends Omit<LookPermission, 'queue'> {
  readonly file: string
  /** @default the queue that the backup was made of */
  readonly queue?: string | undefined
  readonly by: string
  /** Called for each record: how many are done, of the records in the file. */
  readonly onProgress?: ((done: number, records: number) => void) | undefined
}
