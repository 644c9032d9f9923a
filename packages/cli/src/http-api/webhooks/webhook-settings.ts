import Type from 'typebox'
import { InvalidArgumentError, type ServerWebhookDeclaration, type ServerWebhooksDeclaration } from 'warrenmq'
import { type BackoffPolicy, parseDuration } from 'warrenmq/operations'

/** Who is told what, and how. */
export interface WebhookSettings {
  /** How often the dead-letter queues are looked at. */
  readonly everyMs: number
  readonly retry: BackoffPolicy & { readonly attempts: number }
  readonly hooks: readonly Webhook[]
}

export interface Webhook {
  readonly name: string
  readonly url: string
  readonly format: 'generic' | 'slack'
  /** Signs each request. */
  readonly secret: string | undefined
  /** Patterns with `*`; none means all. */
  readonly queues: readonly string[]
  readonly on: WebhookRules
  /** Send a message of a new cause along. Without it no payload leaves. */
  readonly hasSamples: boolean
}

export interface WebhookRules {
  readonly above: number | undefined
  readonly growth: { readonly messages: number; readonly withinMs: number } | undefined
  readonly isNewCause: boolean
  readonly isTaskFinished: boolean
}

const closed = { additionalProperties: false }
const text = Type.String({ minLength: 1 })
const count = Type.Integer({ minimum: 1 })
const variable = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' })

const rules = Type.Object(
  {
    above: Type.Optional(Type.Integer({ minimum: 0 })),
    growth: Type.Optional(Type.Object({ messages: count, within: text }, closed)),
    newCause: Type.Optional(Type.Boolean()),
    taskFinished: Type.Optional(Type.Boolean()),
  },
  { ...closed, minProperties: 1 },
)
const hook = Type.Object(
  {
    name: text,
    on: rules,
    url: Type.Optional(text),
    urlFrom: Type.Optional(variable),
    secretFrom: Type.Optional(variable),
    format: Type.Optional(Type.Unsafe<Webhook['format']>({ type: 'string', enum: ['generic', 'slack'] })),
    queues: Type.Optional(Type.Array(text)),
    samples: Type.Optional(Type.Boolean()),
  },
  closed,
)
const retry = Type.Object(
  { attempts: Type.Optional(count), first: Type.Optional(text), most: Type.Optional(text) },
  closed,
)
const section = Type.Object(
  { every: Type.Optional(text), retry: Type.Optional(retry), to: Type.Array(hook) },
  closed,
)

type Environment = Readonly<Record<string, string | undefined>>

/** The schema of `server.webhooks`. */
export const webhooksSection: Type.TUnsafe<ServerWebhooksDeclaration> =
  Type.Unsafe<ServerWebhooksDeclaration>(section)

/** Reads `server.webhooks`. Secrets, and addresses that are secret, come from the environment. */
export function readWebhooks(
  given: ServerWebhooksDeclaration | undefined,
  env: Environment,
): WebhookSettings {
  const { every = '15s', retry: tries = {}, to = [] } = given ?? {}
  return {
    everyMs: readDuration('every', every),
    retry: {
      attempts: tries.attempts ?? 10,
      initialMs: readDuration('retry.first', tries.first ?? '1s'),
      maxMs: readDuration('retry.most', tries.most ?? '5m'),
    },
    hooks: to.map((each) => readHook(each, env)),
  }
}

function readHook(given: ServerWebhookDeclaration, env: Environment): Webhook {
  const { name, on, format = 'generic', queues = [], samples = false, secretFrom } = given
  const { above, growth, newCause = false, taskFinished = false } = on
  return {
    name,
    format,
    queues,
    hasSamples: samples,
    url: readUrl(given, env),
    secret: secretFrom === undefined ? undefined : fromEnvironment({ name, variable: secretFrom, env }),
    on: {
      above,
      growth: growth && { messages: growth.messages, withinMs: readDuration('growth.within', growth.within) },
      isNewCause: newCause,
      isTaskFinished: taskFinished,
    },
  }
}

const leastMs = 10
const mostMs = 24 * 3_600_000

/** Bounded: a timer of weeks would be due at once. */
function readDuration(name: string, text: string): number {
  const ms = parseDuration(text)
  if (ms >= leastMs && ms <= mostMs) return ms
  throw new InvalidArgumentError(`server.webhooks ${name} is ${text}; it must be from 10ms to 24h.`)
}

function readUrl({ name, url, urlFrom }: ServerWebhookDeclaration, env: Environment): string {
  if ((url === undefined) === (urlFrom === undefined))
    throw new InvalidArgumentError(`The webhook "${name}" needs either url or urlFrom.`)
  const address = url ?? fromEnvironment({ name, variable: urlFrom!, env })
  // The address itself is not told: in a Slack webhook it is the secret.
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address
  throw new InvalidArgumentError(`The address of the webhook "${name}" is not an http:// or https:// URL.`)
}

function fromEnvironment(fields: { name: string; variable: string; env: Environment }): string {
  const value = fields.env[fields.variable]
  if (value) return value
  throw new InvalidArgumentError(
    `The webhook "${fields.name}" reads ${fields.variable} from the environment, but it is not set.`,
  )
}
