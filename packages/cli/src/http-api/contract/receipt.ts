import Type, { type TSchema } from 'typebox'
import type { Receipt as WrittenReceipt } from 'warrenmq'
import { exampleId, queueName } from './lists.ts'
import { notedRequest } from './requests.ts'
import {
  as,
  count,
  flag,
  integer,
  list,
  named,
  object,
  oneOf,
  orNull,
  type SchemaValue,
  tellAs,
  text,
  time,
} from './schema.ts'

const outcomes = [
  'done',
  'cancelled',
  'held-too-long',
  'came-back-dead',
  'target-too-deep',
  'interrupted',
] as const
const interruptions = [
  'away',
  'locked',
  'node-lost',
  'no-progress',
  'queue-deleted',
  'failed',
  'forbidden',
  'taken',
] as const
const keepReasons = [
  'not-selected',
  'over-the-limit',
  'origin-unknown',
  'origin-foreign',
  'type-unknown',
  'no-wait-queue',
  'target-refused',
  'too-large',
  'unreadable',
  'came-back',
  'dead-again',
  'stopped',
] as const

const fields = {
  format: oneOf(['warren-receipt/1'], 'The format of the receipt.'),
  id: text('The id of the task; every message it moved carries it in a header.', exampleId),
  queue: as(queueName, 'The dead-letter queue.'),
  vhost: text('Its vhost.', '/'),
  by: text('Who started the re-drive.', 'ann'),
  reason: Type.Optional(text('Why, in their words.', 'The payment gateway is back.')),
  request: Type.Optional(notedRequest),
  where: Type.Optional(
    text('The filter that selected messages. Absent: all were selected.', 'type:order.placed'),
  ),
  startedAt: time('When it began.'),
  endedAt: time('When it ended.', '2030-01-31T18:00:07.000Z'),
  ratePerSecond: integer('Messages moved per second.', 50),
  outcome: oneOf(
    outcomes,
    'How it ended. came-back-dead and target-too-deep: one of its stop rules applied; interrupted: see interruption.',
  ),
  interruption: Type.Optional(
    oneOf(
      interruptions,
      'What interrupted it: the broker was away; somebody else had the queue when the connection was back; a node is gone with messages; messages could not be reached; the queue was deleted; an error (see refusals); RabbitMQ did not allow it; or others took messages meanwhile.',
    ),
  ),
  present: count('Messages in the queue at the start: moved + failed + kept + stillThere.', 42),
  moved: count('Messages confirmed at their target and out of the queue.', 40),
  published: Type.Optional(
    count('Publishes that the broker confirmed; more than moved if some had to go twice.', 40),
  ),
  acksInDoubt: Type.Optional(
    count(
      'Acknowledgements with an unknown result: at most this many more messages are out of the queue.',
      0,
    ),
  ),
  unanswered: Type.Optional(count('Publishes without an answer: each may be at its target.', 0)),
  failed: count('Messages that their target did not accept; still in the queue.', 0),
  kept: count('Messages that were looked at and left in the queue.', 2),
  stillThere: count('Messages that were not looked at; still in the queue.', 0),
  arrivals: integer('Messages that arrived in the queue meanwhile; exact while otherConsumers is 0.', 0),
  cameBack: count('Messages of this re-drive that died again, as far as it looked for them.', 0),
  missing: count(
    'Messages that should be in the queue and are not: others took them, or the queue was deleted.',
    0,
  ),
  otherConsumers: count('Other consumers of the queue, at the start or at the end.', 0),
  duplicatesPossible: count('Messages that may be at their target twice.', 0),
  refreshed: count(
    'Kept messages that were moved to the end of the queue, because it would have deleted them otherwise.',
    0,
  ),
  movedAside: Type.Optional(
    count('Messages that are in <queue>.over-limit now, because their queue would have deleted them.', 0),
  ),
  unproved: Type.Optional(
    count(
      'Messages that look like moved ones whose acknowledgement was lost, and may be others like them.',
      0,
    ),
  ),
  isBalanced: flag(
    'The queue was counted at the end and holds at least as many messages as it should.',
    true,
  ),
  isCounted: Type.Optional(flag('False: the broker was away at the end, so nobody has counted.', true)),
  areRoutesProved: Type.Optional(flag('False: the routes could not be checked beforehand.', true)),
  targets: list(
    object('A target.', {
      target: text('The exchange and key, or the queue.', 'billing.orders'),
      moved: count('Messages that went there.', 40),
    }),
    'Where the messages went.',
  ),
  causes: list(
    object('A cause.', {
      id: text('Names the cause.', 'c-1f0e3dad'),
      label: text('The cause in words.', 'PaymentDeclinedError: card expired'),
      moved: count('Messages that had died of it.', 40),
    }),
    'What the moved messages had died of.',
  ),
  failures: list(
    object('A way to fail.', {
      kind: oneOf(['unroutable', 'refused', 'unanswered'], 'What the broker said about the publish.'),
      count: count('Messages that failed this way.', 0),
      targets: Type.Optional(list(text('A target.', 'billing.orders'), 'Where they failed, the first few.')),
    }),
    'How messages failed.',
  ),
  keptBecause: list(
    object('A reason to stay.', {
      reason: oneOf(keepReasons, 'Why messages stayed.'),
      count: count('How many.', 2),
    }),
    'Why messages stayed in the queue.',
  ),
  digest: orNull(
    text(
      'Over the ids and bodies of the messages that moved. Null: the caller may not see all of them.',
      'sha256:9f86d081',
    ),
  ),
  refusals: list(
    text('A target or a channel, and why.', 'There is no queue "old".'),
    'Targets that were refused, channels that the broker closed, and the error that ended a failed run.',
  ),
}

/** As it stands in the stream. It is passed on with whatever the version that wrote it says. */
export const storedReceipt: Type.TObject = Type.Object(
  {
    format: Type.String(),
    id: Type.String(),
    queue: Type.String(),
    moved: Type.Integer({ minimum: 0 }),
    isBalanced: Type.Boolean(),
    digest: Type.Union([Type.String(), Type.Null()]),
  },
  { additionalProperties: true },
)
const told = named(
  'Receipt',
  'What happened to every message that was in the queue when the re-drive began.',
  fields,
)

/** What the library writes, but for the digest, which not everybody may see. */
export type Receipt = Omit<WrittenReceipt, 'digest'> & { readonly digest: string | null }

type Told<Value extends { readonly reason?: string | undefined }> = Required<Omit<Value, 'reason'>>
type Same<Left, Right> = [Left] extends [Right] ? ([Right] extends [Left] ? true : never) : never
/** Does not compile where the library writes something else than clients are told. */
const isAsWritten: Same<Told<SchemaValue<typeof told>>, Told<Receipt>> = true
void isAsWritten

export const receipt = tellAs<TSchema>(storedReceipt, told) as Type.TUnsafe<Receipt>
