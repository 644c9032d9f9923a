import { type Canary, nextStageLimit } from './canary.ts'

/** Messages go in stages, and between two of them somebody looks for any that died again. */
export interface StageState {
  readonly canary: Canary | undefined
  /** This many may be sent in all before the next look. */
  readonly limit: number
  readonly sent: number
  /** Something looks wrong: nothing goes before it was looked at. */
  readonly isSuspected: boolean
  readonly isLooking: boolean
}

export function openStages(canary: Canary | undefined): StageState {
  const limit = nextStageLimit({ sent: 0, canary })
  return { canary, limit, sent: 0, isSuspected: false, isLooking: false }
}

export function isStageOpen({ sent, limit, isSuspected, isLooking }: StageState): boolean {
  return sent < limit && !isSuspected && !isLooking
}

export function afterLook(stage: StageState, isStageEnd: boolean): StageState {
  const { sent, canary } = stage
  const limit = isStageEnd ? nextStageLimit({ sent, canary }) : stage.limit
  return { ...stage, limit, isSuspected: false, isLooking: false }
}
