import type { ApprovalAsks, Permission } from '../contract/contract.ts'

/** When a second person has to agree. */
export interface ApprovalRule {
  /** Operations on more messages than this. */
  readonly above: number
  /** How long it may wait for its answer. */
  readonly lifetimeMs: number
}

/** The most messages that an operation can be about: what is there, or the limit that it was given. */
export function mostMessages({ depth, limit }: { depth: number; limit: number | undefined }): number {
  return Math.min(depth, limit ?? depth)
}

export function needsApproval(rule: ApprovalRule | undefined, messages: number): boolean {
  return rule !== undefined && messages > rule.above
}

/** What both people need for it. */
export const permissionFor: Readonly<Record<ApprovalAsks['action'], Permission>> = {
  redrive: 'dlq:redrive',
  discard: 'dlq:discard',
  apply: 'topology:apply',
}
