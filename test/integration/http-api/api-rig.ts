import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import type { LoginLink } from '../../../packages/cli/src/http-api/auth/login-link.ts'
import { readServerSection } from '../../../packages/cli/src/http-api/read-server-section.ts'
import { type ApiServerOptions, createApiServer } from '../../../packages/cli/src/http-api/server.ts'
import { declareQueue, deleteQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { pairManagement } from '../../../packages/warrenmq/src/broker/management/pair-management.ts'
import { applyPlan } from '../../../packages/warrenmq/src/deploy/apply-plan.ts'
import { planDeployment } from '../../../packages/warrenmq/src/deploy/plan-deployment.ts'
import type { OutgoingMessage } from '../../../packages/warrenmq/src/publisher/outgoing-message.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { readRecoverySection } from '../../../packages/warrenmq/src/recovery/recover/read-recovery-section.ts'
import { compileTopology } from '../../../packages/warrenmq/src/topology/compile-topology.ts'
import type { TopologyDeclaration } from '../../../packages/warrenmq/src/topology/declaration.ts'
import { type PlainTable, toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { watchProblems } from './watch-problems.ts'

export interface RigOptions {
  readonly url: string
  readonly managementUrl: string
  /** The config's server section. */
  readonly server?: Readonly<Record<string, unknown>>
  /** Besides the key that all servers have; an empty one is none. */
  readonly env?: Readonly<Record<string, string>>
  /** Applied before the server starts, and known to it. */
  readonly topology?: TopologyDeclaration
  /** Known to the server, and not applied. */
  readonly declared?: TopologyDeclaration
  readonly logger?: ApiServerOptions['logger']
  /** Logs one browser in. */
  readonly loginLink?: LoginLink
}

export interface ApiRig {
  readonly app: FastifyInstance
  readonly consuming: Session
  readonly publishing: Session
  /** A new one, also where there is one: CI tries a test twice, and the second must not find what the first one left. */
  declareDlq(queue: string, args?: PlainTable): Promise<void>
  publish(messages: readonly OutgoingMessage[]): Promise<void>
  /** Listens on a free port of this machine, for what `inject` cannot show. */
  listen(): Promise<string>
  /** Fails where the server has answered with a problem that its contract does not declare. */
  close(): Promise<void>
}

/** What the servers of most tests have in common. */
export const serverKey: Readonly<Record<string, string>> = { WARREN_SERVER_KEY: 'k'.repeat(32) }

/** A server on a broker, asked by `app.inject`; closed with the test or by `close`. */
export async function startApiRig({
  url,
  managementUrl,
  server,
  env,
  topology,
  declared = topology,
  logger = false,
  loginLink,
}: RigOptions): Promise<ApiRig> {
  const consuming = await Session.open(url)
  const publishing = await Session.open(url)
  const management = pairManagement(consuming, { managementUrl, isManagementGuessed: false })
  const { vhost } = consuming
  const brokerVersion = consuming.broker.version
  if (topology) await applyPlan(consuming, (await planDeployment(topology, { management, vhost })).plan)
  const app = await createApiServer({
    broker: {
      consuming,
      publishing,
      management,
      vhost,
      topology: declared && compileTopology(declared, { brokerVersion }),
      types: declared?.recovery && readRecoverySection(declared.recovery).types,
    },
    settings: readServerSection(server, { ...serverKey, ...env }),
    version: '0.0.0-test',
    logger,
    ...(loginLink && { loginLink }),
  })
  const undeclaredProblems = watchProblems(app)
  const publisher = new Publisher(publishing)
  const isNew = !/^3\./.test(brokerVersion)
  return {
    app,
    consuming,
    publishing,
    declareDlq: async (queue, more = {}) => {
      const channel = await consuming.openChannel()
      const args = { 'x-queue-type': 'quorum', ...(isNew && { 'x-delivery-limit': -1 }), ...more }
      await deleteQueue(channel, queue)
      await declareQueue(channel, { queue, arguments: toFieldTable(args) })
      await channel.close()
    },
    publish: async (messages) => {
      const results = await Promise.all(messages.map((message) => publisher.publish(message)))
      const lost = results.filter(({ kind }) => kind !== 'confirmed')
      if (lost.length > 0) throw new Error(`${lost.length} messages were not confirmed.`)
    },
    listen: () => app.listen({ host: '127.0.0.1', port: 0 }),
    close: async () => {
      await app.close()
      await publisher.close()
      await Promise.all([consuming.close(), publishing.close()])
      management.close()
      const undeclared = undeclaredProblems()
      if (undeclared.length > 0)
        throw new Error(
          `The contract does not declare these problems: ${undeclared.join(', ')}. See problem-codes.ts.`,
        )
    },
  }
}

/** The same, closed when the test ends. */
export async function setUpApi(options: RigOptions): Promise<ApiRig> {
  const rig = await startApiRig(options)
  onTestFinished(rig.close)
  return rig
}

/** The arguments of a queue whose dead letters go there, so that what died in it can go back to it. */
export function deadLetterTo(queue: string): PlainTable {
  return { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': queue }
}

export function basic(username: string, password: string = username): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}
