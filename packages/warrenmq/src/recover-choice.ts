import type { OptionNames } from './message/refuse-unknown.ts'
import type { RecoverOptions } from './recovery/recover/recover-queues.ts'

/** Options of `recover`, in addition to the topology's `recovery` section. */
export type RecoverChoice = Pick<RecoverOptions, 'by' | 'log' | 'signal' | 'acceptDeliveryLimit'>

export const recoverOptions: OptionNames<RecoverChoice> = {
  by: true,
  log: true,
  signal: true,
  acceptDeliveryLimit: true,
}
