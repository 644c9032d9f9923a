import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { problemOf } from '../problems.ts'
import { receiveUpload } from './receive-upload.ts'

it('an upload that the disk does not take is no fault of who sends it, and no mistake of the server', async () => {
  const file = join(tmpdir(), 'warren-no-such-folder', 'upload')

  const failure = await receiveUpload(Readable.from([Buffer.from('x')]), { file, mostBytes: 10 }).catch(
    (error: unknown) => error,
  )

  expect(problemOf(failure)).toMatchObject({ status: 503, code: 'BACKUP_NOT_WRITTEN' })
  expect(problemOf(failure).detail).not.toContain('no-such-folder')
})
