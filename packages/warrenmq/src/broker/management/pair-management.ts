import { ConnectionError, ManagementError } from '../../errors.ts'
import { joinSignals } from '../../join-signals.ts'
import { setTimeout } from '../../world.ts'
import type { AmqpConnection } from '../amqp/connection.ts'
import type { Session } from '../amqp/session.ts'
import { placeOf } from './explain-status.ts'
import { type ManagementAddress, type ManagementPlace, parseManagementUrl } from './management-url.ts'
import { type Management, type ManagementOptions, openGuarded, openManagement } from './open-management.ts'
import { proveSameBroker } from './prove-same-broker.ts'

/**
 * The management API of the broker that a session is connected to. Nothing is asked of it before it is proved to be
 * that of this very broker: once per connection, and again after it could not be reached. Without a proof every call
 * rejects. It is the only way to a management API for whoever also speaks AMQP.
 * @example
 * ```ts
 * const management = pairManagement(session, locateManagement('amqp://localhost', undefined))
 * ```
 */
export function pairManagement(
  session: Session,
  { managementUrl, isManagementGuessed }: ManagementPlace,
  options: ManagementOptions = {},
): Management {
  const address = parseManagementUrl(managementUrl)
  const prover = openManagement(managementUrl, options)
  const { timeoutMs = 30_000 } = options
  const proof = new Proof({ session, prover, address, isManagementGuessed, timeoutMs })
  const paired = openGuarded(address, options, (callApi) => async (request) => {
    await proof.mustStand(request.options?.signal)
    try {
      return await callApi(request)
    } catch (error) {
      proof.doubt(error)
      throw error
    }
  })
  return {
    ...paired,
    close: () => {
      paired.close()
      prover.close()
    },
  }
}

interface ProofParts {
  readonly session: Session
  /** The API before it is proved. */
  readonly prover: Management
  readonly address: ManagementAddress
  readonly isManagementGuessed: boolean
  readonly timeoutMs: number
}

/** A wrong address is asked again only so often; somebody may have started the right broker meanwhile. */
const failureLastsMs = 5_000

/** One proof per connection, however many ask at once. */
class Proof {
  readonly #parts: ProofParts
  #last: { readonly connection: AmqpConnection; readonly outcome: Promise<void> } | undefined

  constructor(parts: ProofParts) {
    this.#parts = parts
  }

  /** Rejects without a proof. While the connection is away that of the last one stands: nobody can act on it. */
  async mustStand(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    const { connection } = this.#parts.session
    if (connection && connection !== this.#last?.connection) this.#prove(connection)
    const outcome = this.#last?.outcome ?? Promise.reject(this.#notConnected())
    await unlessAborted(outcome, signal)
  }

  /** What listens at the address may be another, once it did not answer, or did so otherwise than before. */
  doubt(error: unknown): void {
    if (error instanceof ManagementError && doubts.includes(error.code)) this.#last = undefined
  }

  #prove(connection: AmqpConnection): void {
    const outcome = this.#attempt(connection)
    const last = { connection, outcome }
    this.#last = last
    outcome.catch((error: unknown) => {
      const forget = (): void => {
        if (this.#last === last) this.#last = undefined
      }
      const isSettled = error instanceof ManagementError && error.code === 'MANAGEMENT_NOT_PROVED'
      if (isSettled) setTimeout(forget, failureLastsMs).unref()
      else forget()
    })
  }

  async #attempt(connection: AmqpConnection): Promise<void> {
    const { prover: management, address, isManagementGuessed, timeoutMs } = this.#parts
    const patience = joinSignals([], { timeoutMs, timeoutReason: () => this.#tookTooLong(timeoutMs) })
    try {
      const { signal } = patience
      await unlessAborted(proveSameBroker({ connection, management, address, signal }), signal)
    } catch (error) {
      throw isManagementGuessed && error instanceof ManagementError ? asAbsent(error, address) : error
    } finally {
      patience.release()
    }
  }

  #notConnected(): ConnectionError {
    return new ConnectionError({
      code: 'CONNECTION_LOST',
      message: `The connection to the broker is down, so Warren cannot check whether the management API at ${placeOf(this.#parts.address)} belongs to it.`,
    })
  }

  #tookTooLong(timeoutMs: number): ManagementError {
    const message = `It took longer than ${timeoutMs} ms to find out whether the management API at ${placeOf(this.#parts.address)} belongs to the broker. The broker may be overloaded; try again.`
    return new ManagementError({ code: 'MANAGEMENT_TIMEOUT', message })
  }
}

const doubts: readonly string[] = ['MANAGEMENT_UNREACHABLE', 'MANAGEMENT_UNEXPECTED_ANSWER']

/** At the usual address there may be none, that of another broker, one that does not know us, or something else. */
function asAbsent(error: ManagementError, address: ManagementAddress): ManagementError {
  const { code, message, status } = error
  if (code === 'MANAGEMENT_UNREACHABLE') return error
  if (code === 'MANAGEMENT_NOT_PROVED') return new ManagementError({ code, message, isAbsent: true })
  const found = `There is no usable management API for this broker at the usual address ${placeOf(address)}. ${message}`
  const wayOut = 'Give its address with --management-url, MANAGEMENT_URL, or managementUrl in connect().'
  return new ManagementError(
    { code: 'MANAGEMENT_UNREACHABLE', message: `${found} ${wayOut}`, status },
    { cause: error },
  )
}

async function unlessAborted(outcome: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return outcome
  let stop = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => reject(signal.reason)
    stop = () => signal.removeEventListener('abort', abort)
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    await Promise.race([outcome, aborted])
  } finally {
    stop()
  }
}
