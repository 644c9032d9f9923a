import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { type Lock, lockName, RecoveryError, steadyClock, takeLock } from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import { goneError } from '../guards/refuse-without-broker.ts'
import type { SharedTask } from '../tasks/shared-task.ts'
import type { TaskBoard } from '../tasks/task-board.ts'
import { isEnded } from '../tasks/task-state.ts'
import type { Tasks } from '../tasks/tasks.ts'
import { CauseWatch } from './cause-watch.ts'
import { type AlertState, decideAlerts, isQueueMeant, quiet } from './decide-alerts.ts'
import type { SentEvent, WebhookEvent } from './webhook-event.ts'
import { type SenderState, WebhookSender } from './webhook-sender.ts'
import type { Webhook, WebhookSettings } from './webhook-settings.ts'

export interface WebhooksOptions {
  readonly context: WebhooksContext
  readonly settings: WebhookSettings
  readonly onGivenUp: (hook: Webhook, sent: SentEvent, reason: string) => void
  /** The broker could not be asked; it is asked again. */
  readonly onError: (error: unknown) => void
}

interface WebhooksContext extends Pick<ApiContext, 'broker' | 'turns'> {
  readonly tasks: Pick<Tasks, 'refuseIfBusy'> & { readonly board: Pick<TaskBoard, 'events'> }
  readonly dlqs: Pick<ApiContext['dlqs'], 'list' | 'count'>
  readonly settings: Pick<ApiContext['settings'], 'maskedPaths' | 'lookTimeoutMs'>
  readonly audit: Pick<ApiContext['audit'], 'newest'>
}

/** Stands for "this server is the one that tells". */
const turnName = 'warren.webhooks'
const mostTold = 10_000
const mostUntold = 1_000
const retryTakenMs = 60_000

/** Looks at the dead-letter queues and at the tasks, and tells receivers. Of all servers one does it at a time. */
export class Webhooks {
  readonly #options: WebhooksOptions
  readonly #senders: ReadonlyMap<Webhook, WebhookSender>
  readonly #alerts = new Map<Webhook, Map<string, AlertState>>()
  readonly #causes: CauseWatch
  readonly #toldTasks = new Set<string>()
  /** Tasks that ended while it was not our turn, and perhaps nobody's. */
  readonly #untold: SharedTask[] = []
  readonly #stopListening: () => void
  #lock: Lock | undefined
  #triedAtMs = steadyClock.now()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()
  readonly #closing = new AbortController()

  constructor(options: WebhooksOptions) {
    const { context, settings } = options
    this.#options = options
    this.#causes = new CauseWatch({ ...context, signal: this.#closing.signal })
    this.#senders = new Map(settings.hooks.map((hook) => [hook, this.#openSender(hook)]))
    this.#stopListening = context.tasks.board.events.on('changed', (shared) => this.#onTask(shared))
    if (settings.hooks.length > 0) this.#look()
  }

  /** Of all servers, this one tells. */
  get isSending(): boolean {
    return this.#lock?.isHeld ?? false
  }

  /** In the order of the config. */
  states(): readonly (readonly [Webhook, SenderState])[] {
    return [...this.#senders].map(([hook, sender]) => [hook, sender.state])
  }

  async close(): Promise<void> {
    this.#closing.abort(goneError())
    clearTimeout(this.#timer)
    this.#stopListening()
    await this.#looking
    await Promise.all([...this.#senders.values()].map((sender) => sender.close()))
    await this.#lock?.release()
  }

  #openSender(hook: Webhook): WebhookSender {
    const { settings, onGivenUp } = this.#options
    return new WebhookSender({
      hook,
      retry: settings.retry,
      onGivenUp: (sent, reason) => onGivenUp(hook, sent, reason),
    })
  }

  #look(): void {
    const { settings, onError } = this.#options
    this.#looking = this.#lookOnce()
      .catch(onError)
      .finally(() => {
        if (!this.#closing.signal.aborted)
          this.#timer = setTimeout(() => this.#look(), settings.everyMs).unref()
      })
  }

  async #lookOnce(): Promise<void> {
    const hasTurn = await this.#hasTurn()
    // Where it is not ours it is that of another server, who has been told of them as we were.
    const untold = this.#untold.splice(0)
    if (!hasTurn) return
    for (const shared of untold) this.#tell(shared)
    const { context, onError } = this.#options
    const { dlqs } = context
    for (const { queue } of await dlqs.list()) {
      try {
        const messages = this.#closing.signal.aborted ? null : await dlqs.count(queue)
        if (messages !== null) await this.#judge(queue, messages)
      } catch (error) {
        onError(error) // of this queue; the others can be looked at
      }
    }
  }

  async #judge(queue: string, messages: number): Promise<void> {
    const hooks = this.#hooksFor(queue)
    const sample = { atMs: Date.now(), messages }
    for (const hook of hooks) {
      const alerts = this.#alerts.get(hook) ?? new Map<string, AlertState>()
      this.#alerts.set(hook, alerts)
      const { state, events } = decideAlerts(alerts.get(queue) ?? quiet, { queue, sample, rules: hook.on })
      alerts.set(queue, state)
      for (const event of events) this.#send(hook, event)
    }
    const curious = hooks.filter(({ on }) => on.isNewCause)
    if (curious.length === 0) return
    const hasSamples = curious.some((hook) => hook.hasSamples)
    for (const { sample: body, ...found } of await this.#causes.look(queue, { messages, hasSamples })) {
      const shown = body === undefined ? {} : { sample: body }
      for (const hook of curious)
        this.#send(hook, { kind: 'cause.new', queue, ...found, ...(hook.hasSamples && shown) })
    }
  }

  #onTask(shared: SharedTask): void {
    // Anybody may have invented one that is not signed.
    if (!isEnded(shared.task.state) || !shared.task.isSigned) return
    this.#causes.lookAgain(shared.task.queue)
    if (this.#lock?.isHeld) this.#tell(shared)
    else this.#untold.push(shared)
    if (this.#untold.length > mostUntold) this.#untold.shift()
  }

  #tell({ task, run }: SharedTask): void {
    // Of two servers that both tell it, a receiver knows that it is the same.
    const id = `${task.id}.${run}.${task.state}`
    if (this.#toldTasks.has(id)) return
    this.#toldTasks.add(id)
    if (this.#toldTasks.size > mostTold) this.#toldTasks.clear()
    const audit = this.#options.context.audit.newest()
    const event = { kind: 'task.finished', queue: task.queue, task, ...(audit && { audit }) } as const
    for (const hook of this.#hooksFor(task.queue)) if (hook.on.isTaskFinished) this.#send(hook, event, id)
  }

  #hooksFor(queue: string): readonly Webhook[] {
    return this.#options.settings.hooks.filter(({ queues }) => isQueueMeant(queues, queue))
  }

  #send(hook: Webhook, event: WebhookEvent, id: string = randomUUID()): void {
    const { vhost } = this.#options.context.broker
    const sent = { id, at: new Date().toISOString(), vhost, event }
    this.#senders.get(hook)?.send(sent)
  }

  /** The turn is kept for as long as the connection lives. */
  async #hasTurn(): Promise<boolean> {
    if (this.#lock?.isHeld) return true
    const { consuming: session, management, vhost } = this.#options.context.broker
    // A refused lock is a line in the broker's log each time, so one that is there is asked for now and then only: a
    // cluster may keep it for a server that is gone together with its node.
    const isTaken = (await management.queues.find({ vhost, name: lockName(turnName) })) !== undefined
    if (isTaken && steadyClock.now() - this.#triedAtMs < retryTakenMs) return false
    this.#triedAtMs = steadyClock.now()
    try {
      const holder = `the webhooks of ${hostname()}`
      this.#lock = await takeLock({ session, queue: turnName, holder, management, vhost })
      return true
    } catch (error) {
      if (error instanceof RecoveryError) return false
      throw error
    }
  }
}
