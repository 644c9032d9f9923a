import type { ProfileName } from '../../packages/warrenmq/src/embedded/model/profile.ts'
import type { Warren } from '../../packages/warrenmq/src/index.ts'
import type { Random } from '../world/random.ts'
import type { Entry } from './journal.ts'
import type { WorldPlan } from './plan-world.ts'

export type Role = 'deployer' | 'publisher' | 'consumer' | 'operator'

/** One world, as an actor reaches it. */
export interface ClientWorld {
  readonly seed: number
  readonly profile: ProfileName
  readonly url: string
  readonly managementUrl: string
}

/** What a client process is told when it is started. */
export interface ClientTask {
  readonly role: Role
  /** From 1. */
  readonly number: number
  readonly actor: string
  readonly worlds: readonly ClientWorld[]
  readonly journal: string
  /** For the files of discards. */
  readonly folder: string
}

/** What an actor needs in order to play in one world. */
export interface Part {
  readonly plan: WorldPlan
  readonly world: ClientWorld
  readonly actor: string
  readonly number: number
  readonly warren: Warren<string>
  readonly folder: string
  readonly random: Random
  /** Aborts when the actor is to finish what it does and go home. */
  readonly ending: AbortSignal
  note(entry: Entry): void
  beginDeed(): void
}
