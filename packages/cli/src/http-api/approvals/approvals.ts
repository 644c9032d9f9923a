import { randomUUID } from 'node:crypto'
import { ApiError } from 'warrenmq/operations'
import type { Approval, ApprovalAsks } from '../contract/contract.ts'
import type { Asker, HeardNotice } from '../notices/notice.ts'
import type { NoticeBoard } from '../notices/notice-board.ts'
import { tick } from '../show/rendered-answers.ts'
import { type KnownApproval, type KnownApprovals, stateOf, takeApprovalNotice } from './known-approvals.ts'

export interface NewApproval {
  readonly asks: ApprovalAsks
  readonly messages: number | null
  readonly by: string
  readonly asker: Asker
  readonly reason: string | undefined
}

/** What waits for a second person, the same on all servers. */
export class Approvals {
  readonly #tell: NoticeBoard['tell']
  readonly #lifetimeMs: number
  #known: KnownApprovals = new Map()
  #changes = 0

  constructor({ tell, lifetimeMs }: { tell: NoticeBoard['tell']; lifetimeMs: number }) {
    this.#tell = tell
    this.#lifetimeMs = lifetimeMs
  }

  /** One of the servers told something. */
  heard(record: HeardNotice): void {
    this.#known = takeApprovalNotice(this.#known, record)
    this.#changes += 1
  }

  /** Resolves when all servers can find it. */
  async ask({ asks, messages, by, asker, reason }: NewApproval): Promise<Approval> {
    const nowMs = Date.now()
    const approval: Approval = {
      kind: 'approval',
      id: randomUUID(),
      asks,
      messages,
      by,
      state: 'waiting',
      reason: reason ?? null,
      askedAt: new Date(nowMs).toISOString(),
      expiresAt: new Date(nowMs + this.#lifetimeMs).toISOString(),
      decidedBy: null,
      decidedAt: null,
      isSigned: true,
    }
    await this.#tell({ kind: 'approval-asked', approval, asker })
    return approval
  }

  /** Is another one as soon as `list` may be: somebody told something, or time has run out for one. */
  get edition(): string {
    return `${this.#changes} ${tick(1_000)}`
  }

  /** The newest first. */
  list(): readonly Approval[] {
    return [...this.#known.keys()].map((id) => this.get(id)).reverse()
  }

  get(id: string): Approval {
    const { approval } = this.#find(id)
    return { ...approval, state: stateOf(approval, Date.now()) }
  }

  /** How the one who asked was known. */
  askerOf(id: string): Asker {
    return this.#find(id).asker
  }

  /** Throws where it is decided already, also where that happens at the same moment on another server. */
  async decide(id: string, decision: 'granted' | 'refused', by: string): Promise<Approval> {
    this.#refuseDecided(id)
    const at = new Date().toISOString()
    const number = await this.#tell({ kind: 'approval-decided', id, decision, by, at })
    if (this.#known.get(id)?.decidedIn !== number) this.#refuseDecided(id)
    return this.get(id)
  }

  #find(id: string): KnownApproval {
    const found = this.#known.get(id)
    if (found) return found
    throw new ApiError({
      code: 'API_NOT_FOUND',
      message: `There is no approval ${id}. GET /api/v1/approvals lists them.`,
    })
  }

  #refuseDecided(id: string): void {
    const { state, decidedBy } = this.get(id)
    if (state === 'waiting') return
    const by = decidedBy === null ? '' : ` by ${decidedBy}`
    throw new ApiError({
      code: 'API_APPROVAL_DECIDED',
      message: `The approval ${id} is ${state}${by}. Request a new one.`,
    })
  }
}
