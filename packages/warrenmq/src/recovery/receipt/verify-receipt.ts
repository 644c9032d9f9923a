import type { Broker } from '../../broker/broker.ts'
import { RecoveryError } from '../../errors.ts'
import { headerText } from '../../message/header-values.ts'
import { readProperty } from '../../wire/properties.ts'
import { sureDepth } from '../look/confirm-depth.ts'
import { lookAtQueue } from '../look/look-at-queue.ts'
import type { LookPermission } from '../look/prepare-look.ts'
import { recoveryHeaders } from '../put-back/recovery-headers.ts'
import { decideReceipt, type FoundPlace, type ReceiptCheck } from './decide-receipt.ts'
import type { Receipt } from './receipt.ts'
import { createSetDigest, type SetDigest } from './set-digest.ts'

/** Which receipt to check against the queues. */
export interface VerifyReceiptOptions
  extends Broker,
    Pick<LookPermission, 'maxHoldMs' | 'mostAheadMs' | 'endAtMs'> {
  /**
   * Who looks; shown to the next one who wants the queue.
   * @example { by: 'anna' }
   */
  readonly by: string
  /**
   * Also look into the queues where messages went. Their consumers wait in the meantime. @default false
   * @example { includesTargets: true }
   */
  readonly includesTargets?: boolean
  /**
   * See `LookPermission`. @default false
   * @example { acceptDeliveryLimit: true }
   */
  readonly acceptDeliveryLimit?: boolean | undefined
  /**
   * Ends the looks; what was not seen is unknown then.
   * @example { signal: AbortSignal.timeout(60_000) }
   */
  readonly signal?: AbortSignal
}

/**
 * Checks a receipt again: its own sums, and what the broker holds of the messages that it names.
 * @example
 * ```ts
 * const checks = await verifyReceipt(receipt, { ...broker, by: 'ann' })
 * ```
 */
export async function verifyReceipt(
  receipt: Receipt,
  options: VerifyReceiptOptions,
): Promise<readonly ReceiptCheck[]> {
  const { consuming, includesTargets = false } = options
  if (receipt.vhost !== consuming.vhost) {
    throw new RecoveryError({
      code: 'RECEIPT_INVALID',
      message: `The receipt is for the vhost "${receipt.vhost}", but this is "${consuming.vhost}". Name the vhost with --vhost.`,
    })
  }
  const digest = createSetDigest()
  const depth = await sureDepth({ ...options, queue: receipt.queue })
  const search = { receipt, digest, options }
  const places: FoundPlace[] = [await findIn({ ...search, queue: receipt.queue, role: 'dead-letter queue' })]
  for (const { target } of includesTargets ? receipt.targets : []) {
    places.push(await findAtTarget({ ...search, queue: target, role: 'target' }))
  }
  return decideReceipt(receipt, { depth, places, digest: digest.text() })
}

interface Search {
  readonly receipt: Receipt
  readonly digest: SetDigest
  readonly options: VerifyReceiptOptions
  readonly queue: string
  readonly role: FoundPlace['role']
}

/** An exchange is written with its key behind a space, and a name with a space in it looks the same. */
async function findAtTarget(search: Search): Promise<FoundPlace> {
  const { queue, role } = search
  if (!queue.includes(' ')) return findIn(search)
  return { queue, role, found: undefined, why: 'It is an exchange with a key, or a name with a space.' }
}

async function findIn({ receipt, digest, options, queue, role }: Search): Promise<FoundPlace> {
  let found = 0
  try {
    const { isWhole, seen, present } = await lookAtQueue({
      ...options,
      queue,
      onMessage: (message) => {
        const headers = readProperty(message.properties, 'headers')
        if (headerText(headers, recoveryHeaders.redriveId) !== receipt.id) return
        found += 1
        digest.add(message)
      },
    })
    return { queue, role, found, ...(!isWhole && { why: `Only ${seen} of ${present} could be looked at.` }) }
  } catch (error) {
    // A queue that may not be looked at leaves the question open; it does not make the receipt untrue.
    if (!(error instanceof RecoveryError)) throw error
    return { queue, role, found: undefined, why: error.message }
  }
}
