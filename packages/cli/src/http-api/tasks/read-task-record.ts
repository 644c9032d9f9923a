import Type, { type TSchema } from 'typebox'
import Value from 'typebox/value'
import { storedReceipt as receipt } from '../contract/receipt.ts'
import { storedRedrive } from '../contract/requests.ts'
import { storedTask } from '../contract/tasks.ts'
import { count, oneOf, text } from '../contract/text-or-null.ts'
import { limitOf, type TaskRecord } from './shared-task.ts'

const asked = Type.Union([
  Type.Object({ kind: oneOf(['redrive']), request: storedRedrive }),
  Type.Object({ kind: oneOf(['admin']), limit: count }),
  Type.Object({ kind: oneOf(['edit']), key: text }),
])
const storedReceipt = Type.Intersect([receipt, Type.Object({ refusals: Type.Array(text) })])
const shared = Type.Object({
  task: storedTask,
  run: Type.Integer({ minimum: 1 }),
  server: text,
  asked,
  // Of other queues nobody is asked whether they are there.
  presence: Type.String({ pattern: '^warren\\.server\\.' }),
  receipt: Type.Union([storedReceipt, Type.Null()]),
})
const shapes: readonly TSchema[] = [
  Type.Object({ kind: oneOf(['task']), shared }),
  Type.Object({ kind: oneOf(['step']), id: text, run: count, step: oneOf(['pause', 'resume', 'cancel']) }),
  Type.Object({ kind: oneOf(['hello']), server: text }),
]

/** Reads a record. Undefined for what is none, such as one that a later version wrote. */
export function readTaskRecord(value: unknown): TaskRecord | undefined {
  if (!shapes.some((shape) => Value.Check(shape, value))) return undefined
  const record = value as TaskRecord
  if (record.kind !== 'task') return record
  // A server of version 0.1 did not write it; what was asked for has it in every version.
  const { shared } = record
  return { ...record, shared: { ...shared, task: { ...shared.task, limit: limitOf(shared.asked) } } }
}
