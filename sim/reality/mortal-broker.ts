import { setTimeout as sleep } from 'node:timers/promises'
import type { ManagementAccess } from '../../test/support/call-management.ts'
import { eventually } from '../../test/support/eventually.ts'
import type { RabbitNode } from '../../test/support/start-rabbit-node.ts'

/** A broker of one node or of several that may be killed, paused and given an alarm, one thing at a time. */
export interface MortalBroker {
  readonly version: string
  readonly username: string
  readonly password: string
  /** Where the nodes keep their logs and their data. */
  readonly directories: readonly string[]
  /** All run, and nothing is done to them just now. */
  readonly isUp: boolean
  /** A node that clients may be sent to. Those who are sent to a dead one have to try again. */
  entrance(): RabbitNode
  /** A node that answers, as far as is known. */
  readonly access: ManagementAccess & { readonly amqpUrl: string }
  /**
   * Ends a node with kill -9 and starts it again: the only one, or the leader of a queue. Gives false, and does nothing,
   * if the broker is busy with something else.
   */
  crash(ms: number, queue: { readonly vhost: string; readonly name: string }): boolean
  /** Freezes a node. */
  pause(ms: number): boolean
  alarm(ms: number): boolean
  /** Cuts a node off from the others, if there are any. */
  partition(ms: number): boolean
  /** Settles when all that was begun is over and every node runs. Throws if something did not work. */
  settled(): Promise<void>
  /** What the quorum queues of a vhost hold, as they themselves say it: also what no client can see. */
  describeQueues(vhost: string): Promise<string>
  /** Ends all nodes with kill -9, and starts them again. */
  restart(): Promise<void>
  /** Writes to disk which queues there are. */
  syncRegistrations(): Promise<void>
  destroy(): Promise<void>
}

/** Does one thing after the other to a broker, and never two at a time. */
export class Torturer {
  #busy: Promise<void> | undefined
  #lives = 0
  #bornAt = performance.now()
  #alarm: Promise<void> | undefined
  #alarms = 0
  readonly #failures: unknown[] = []

  get isBusy(): boolean {
    return this.#busy !== undefined
  }

  /** Begins a deed unless another one is being done. */
  begin(deed: () => Promise<void>): boolean {
    if (this.#busy) return false
    this.#busy = deed()
      .catch((error: unknown) => void this.#failures.push(error))
      .finally(() => {
        this.#busy = undefined
      })
    return true
  }

  /** A node dies only after it has lived for a while: now it can do a little, then more. */
  beginCrash(deed: () => Promise<void>): boolean {
    const shortestLifeMs = shortestLivesMs[this.#lives % shortestLivesMs.length]!
    if (this.#busy || performance.now() - this.#bornAt < shortestLifeMs) return false
    this.#lives += 1
    const dieAndRise = async (): Promise<void> => {
      await deed()
      this.#bornAt = performance.now()
    }
    return this.begin(dieAndRise)
  }

  /**
   * Gives a node an alarm. Two runs of rabbitmqctl cost as much as a start, so there are few. Other things happen
   * meanwhile: a node that is killed has no alarm when it is back.
   */
  ring(node: RabbitNode, ms: number): boolean {
    if (this.#alarm || this.#alarms >= mostAlarms) return false
    this.#alarms += 1
    const set = (...watermark: string[]) => node.rabbitmqctl('set_vm_memory_high_watermark', ...watermark)
    const beginAndEnd = async (): Promise<void> => {
      await set('absolute', '1MB')
      await sleep(ms)
      await set('0.4')
    }
    this.#alarm = beginAndEnd()
      .catch(async () => {
        await this.#busy // it was killed or stood still
        await eventually(() => set('0.4'), patiently)
      })
      .catch((error: unknown) => void this.#failures.push(error))
      .finally(() => {
        this.#alarm = undefined
      })
    return true
  }

  async settled(): Promise<void> {
    while (this.#busy) await this.#busy
    await this.#alarm
    if (this.#failures.length > 0)
      throw new AggregateError(this.#failures, `The broker did not do what it was told: ${this.#failures[0]}`)
  }
}

/** A tool that was stopped together with the campaign may have run out of time. */
export const patiently = { timeoutMs: 600_000 }

const mostAlarms = 1

const shortestLivesMs = [300, 800, 1_200, 2_000, 5_000]

/** Dead letters that wait for their target are neither ready nor in hand. */
export function describeQueuesOf(node: RabbitNode, vhost: string): Promise<string> {
  const ofOne = 'catch ra:local_query(amqqueue:get_pid(Q), fun rabbit_fifo:overview/1)'
  const overview = `[{amqqueue:get_name(Q), amqqueue:get_type(Q), ${ofOne}} || Q <- rabbit_amqqueue:list(<<"${vhost}">>)].`
  return eventually(() => node.rabbitmqctl('eval', overview), patiently)
}
