import Type from 'typebox'
import { approval } from './approvals.ts'
import { dlq, queueParams } from './dlqs.ts'
import type { EndpointList } from './endpoint.ts'
import { filter, idOf, ofQueue, pageSchema, queueName, reason, wholeList } from './lists.ts'
import { discardRequest } from './requests.ts'
import {
  as,
  count,
  flag,
  listInQuery,
  named,
  oneOf,
  parameters,
  type SchemaValue,
  text,
  time,
} from './schema.ts'

export type { DiscardRequest } from './requests.ts'

const { id, params: backupParams } = idOf('backup')
const purpose = oneOf(
  ['backup', 'discard'],
  'What it was made for. The backup of a discard may hold the only copy.',
)
export const keptBackup = named('KeptBackup', 'A backup that the server keeps.', {
  id,
  purpose,
  queue: dlq,
  vhost: text('The vhost of the queue.', '/'),
  by: text('Who made it.', 'ann'),
  startedAt: time('When it was started.'),
  sizeBytes: count('The size of the file.', 2048),
})
export type KeptBackup = SchemaValue<typeof keptBackup>
const backupList = pageSchema('BackupList', { of: keptBackup, plural: 'backups' })
export type BackupList = SchemaValue<typeof backupList>
const backupQuery = parameters({
  purpose: Type.Optional(listInQuery(purpose, 'Only backups made for one of these.')),
  ...ofQueue,
  ...wholeList,
})

export const discarded = named('Discarded', 'What a discard did.', {
  kind: oneOf(['discarded'], 'Distinguishes it from an approval.'),
  queue: dlq,
  present: count('Messages in the queue at the start.', 42),
  removed: count('Messages that are in the backup and gone from the queue.', 42),
  left: count('Messages that are still in the queue.', 0),
  missing: count('How many of the messages chosen by key were no longer in the queue.', 0),
  isDone: flag(
    'Every selected message is gone. False: some that look the same are still there. Send the request again.',
    true,
  ),
  backup: keptBackup,
})
export type Discarded = SchemaValue<typeof discarded>

const deleteBackupQuery = parameters({
  force: Type.Optional(flag('Delete it even if it holds the only copy of messages.', false)),
  reason: Type.Optional(reason),
})
export type DeleteBackupQuery = SchemaValue<typeof deleteBackupQuery>

const restoreQuery = parameters({
  queue: Type.Optional(
    as(queueName, 'The queue to put the messages into, if it is not the queue that was backed up.'),
  ),
  acceptDeliveryLimit: Type.Optional(
    flag(
      'Continue even though the queue deletes messages over its delivery limit when a connection breaks.',
      false,
    ),
  ),
  reason: Type.Optional(reason),
})
export type RestoreQuery = SchemaValue<typeof restoreQuery>
export const restored = named('Restored', 'What a restore did.', {
  queue: dlq,
  records: count('Messages in the backup.', 42),
  restored: count('Messages that were put into the queue.', 40),
  restoredBefore: count('Messages that an earlier restore put back.', 2),
  alreadyThere: count('Messages that were already in the queue.', 0),
  notRemoved: count('Messages of a discard that never left the queue.', 0),
  duplicatesPossible: count(
    'The maximum number of extra copies in the queue: an earlier run was interrupted, or a crash of RabbitMQ brought messages back.',
    0,
  ),
  failed: count('Messages that RabbitMQ did not accept.', 0),
})
export type Restored = SchemaValue<typeof restored>

const filterQuery = parameters({ where: Type.Optional(filter) })
export type FilterQuery = SchemaValue<typeof filterQuery>

const reading = { method: 'GET', tag: 'backups', needs: 'dlq:backup', asksBroker: true } as const
const gzip = { mediaType: 'application/gzip', example: 'the bytes of the file' } as const
const notKept = ['API_NOT_FOUND', 'API_NO_BACKUP_FOLDER'] as const
export const backupEndpoints = {
  downloadBackup: {
    ...reading,
    ...gzip,
    path: '/api/v1/dlqs/:queue/backup',
    looks: true,
    summary: 'Download the messages of a queue',
    description: 'As a file, byte for byte. The messages stay in the queue.',
    params: queueParams,
    query: filterQuery,
  },
  discardMessages: {
    method: 'POST',
    path: '/api/v1/dlqs/:queue/discard',
    tag: 'backups',
    needs: 'dlq:discard',
    summary: 'Remove messages into a backup',
    description:
      'Messages are written to a backup and checked before they are removed. A large discard may need a second person.',
    params: queueParams,
    body: discardRequest,
    takesDlqsOnly: true,
    answer: discarded,
    waiting: approval,
    asksBroker: true,
    looks: true,
    problems: ['API_APPROVAL_NEEDED', 'API_NO_BACKUP_FOLDER', 'NOTICES_UNAVAILABLE'],
  },
  listBackups: {
    ...reading,
    path: '/api/v1/backups',
    query: backupQuery,
    answer: backupList,
    summary: 'List the backups that the server keeps',
    description: 'Backups of discards, and backups that were restored; newest first.',
    problems: [...notKept],
  },
  fetchBackup: {
    ...reading,
    ...gzip,
    path: '/api/v1/backups/:id',
    params: backupParams,
    summary: 'Download a kept backup',
    description: 'As a file that POST /api/v1/restores and warren dlq restore accept.',
    problems: [...notKept],
  },
  deleteBackup: {
    method: 'DELETE',
    path: '/api/v1/backups/:id',
    tag: 'backups',
    needs: 'dlq:discard',
    summary: 'Delete a kept backup for good',
    description:
      'A backup that holds the only copy of a message is deleted only if forced; a backup in use, never.',
    params: backupParams,
    query: deleteBackupQuery,
    asksBroker: true,
    problems: [...notKept, 'API_BACKUP_IN_USE', 'API_BACKUP_NEEDED', 'API_APPROVAL_NEEDED'],
  },
  restoreBackup: {
    method: 'POST',
    path: '/api/v1/restores',
    tag: 'backups',
    needs: 'dlq:restore',
    summary: 'Restore a backup',
    description:
      'Puts the messages of a backup into their dead-letter queue, each once. The body is the file.',
    accepts: {
      mediaType: 'application/gzip',
      description: 'A backup, as downloaded or as written by `warren dlq backup`; read as a stream',
    },
    query: restoreQuery,
    answer: restored,
    asksBroker: true,
    looks: true,
    problems: ['API_NO_BACKUP_FOLDER', 'API_BACKUP_IN_USE', 'API_APPROVAL_NEEDED'],
  },
} satisfies EndpointList
