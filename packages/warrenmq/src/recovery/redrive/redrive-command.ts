import type { Interruption, RedriveOutcome } from '../receipt/receipt.ts'
import type { KeepReason } from './plan-redrive.ts'
import type { TakenMessage } from './redrive-event.ts'

/** `failed`: no target took it. `sent-ahead`: it is not one of those that were counted. The others come from the rules. */
export type HoldReason = KeepReason | 'failed' | 'sent-ahead'

/** What is to be done; each is answered by events. */
export type RedriveCommand<Message extends TakenMessage> = PromptCommand<Message> | RedriveErrand

/** What is done immediately. */
type PromptCommand<Message extends TakenMessage> =
  /** One of those taken arrived during the run, so one more is to be taken. */
  | { readonly kind: 'extend' }
  | { readonly kind: 'stop-taking' }
  | { readonly kind: 'publish'; readonly messages: readonly Message[] }
  | { readonly kind: 'ack'; readonly messages: readonly Message[] }
  /** It stays in its queue. */
  | { readonly kind: 'hold'; readonly message: Message; readonly why: HoldReason }
  /** Ask the broker something behind the acks: its answer proves them. */
  | { readonly kind: 'prove-acks' }
  /** A tick is wanted after so long. */
  | { readonly kind: 'wake'; readonly ms: number }
  | { readonly kind: 'tell-wait'; readonly ms: number }
  /** It was told to stop, and nobody waits any longer for a broker that is away. */
  | { readonly kind: 'lose-patience' }
  | {
      readonly kind: 'finish'
      readonly outcome: RedriveOutcome
      readonly interruption: Interruption | undefined
    }

/** What takes its time. */
export type RedriveErrand =
  | { readonly kind: 'lock' }
  /** Count the queue and read its rules. Answered by `prepared`. */
  | { readonly kind: 'prepare' }
  /** Take this many messages from the head, and not one more. */
  | { readonly kind: 'take'; readonly count: number; readonly prefetch: number; readonly isFirst: boolean }
  /** Close what holds messages, and see them back in their queue. */
  | { readonly kind: 'give-back' }
  | { readonly kind: 'relock' }
  /** Until something can be published. Answered by `connected`. */
  | { readonly kind: 'await-connection' }
  /** Until the queue has more than this, or gives nothing back any more. */
  | { readonly kind: 'await-returned'; readonly left: number }
  /** Until these queues have leaders, and on another channel. */
  | { readonly kind: 'await-leaders'; readonly queues: readonly string[] }
  /** Not so soon if there was no room a moment ago. */
  | { readonly kind: 'count-targets'; readonly queues: readonly string[]; readonly isSoon: boolean }
  | { readonly kind: 'look-for-dead'; readonly isStageEnd: boolean }
  /** Count the queue for the receipt; not ours if somebody else has it. */
  | { readonly kind: 'count'; readonly isOurs: boolean }
