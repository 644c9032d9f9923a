import type { FastifyBaseLogger } from 'fastify'
import type { ApiContext } from './api-context.ts'
import { openAuditLog } from './audit/audit-log.ts'
import { createAuthenticator } from './auth/authenticator.ts'
import { openBrokerAccounts } from './auth/broker-accounts.ts'
import type { LoginLink } from './auth/login-link.ts'
import { openOidc } from './auth/oidc.ts'
import { createSessions } from './auth/sessions.ts'
import { watchAccounts } from './auth/watch-accounts.ts'
import { createBackupLocks } from './backups/backup-locks.ts'
import type { DemoControls } from './demo-controls.ts'
import { createDlqLists } from './dlqs/dlq-lists.ts'
import { createInspector } from './dlqs/list-dlqs.ts'
import { createTrafficReader } from './dlqs/read-traffic.ts'
import { createOpenStreams } from './events/open-streams.ts'
import { createFailureLog } from './failure-log.ts'
import { createQueueTurns } from './guards/queue-turns.ts'
import { createRequestSlots } from './guards/request-slots.ts'
import { DepthHistory } from './history/depth-history.ts'
import { createSampleReader } from './history/read-broker-samples.ts'
import { openNotices } from './notices/open-notices.ts'
import type { ServerSettings } from './read-server-section.ts'
import { createStrays } from './records/strays.ts'
import { createShownPlans } from './redrives/shown-plans.ts'
import type { ServerBroker } from './server-broker.ts'
import { createNames, hasOwnNames } from './show/name-messages.ts'
import { createSinceReader } from './snapshots/read-since.ts'
import { Snapshots } from './snapshots/snapshots.ts'
import { openTasks } from './tasks/open-tasks.ts'
import type { ServedVhosts } from './vhosts/served-vhosts.ts'

export interface ContextOptions {
  readonly broker: ServerBroker
  readonly settings: ServerSettings
  /** Of Warren. */
  readonly version: string
  /** Logs one browser in. @default none */
  readonly loginLink?: LoginLink
  /** The shop that a visitor may steer. @default none */
  readonly demo?: DemoControls
  /** Of the server that this one is a part of. */
  readonly vhosts: ServedVhosts<ApiContext>
}

/** Opens all that the routes of one vhost go by. */
export async function createContext(options: ContextOptions, log: FastifyBaseLogger): Promise<ApiContext> {
  const { broker, settings, version, vhosts } = options
  if (hasOwnNames(settings))
    log.warn(
      'payloads are hidden or masked without WARREN_SESSION_KEY: message keys of this server are unknown to other servers',
    )
  const { keys } = settings
  if (!keys.isShared)
    log.warn(
      'there is no WARREN_SERVER_KEY: the audit log is not signed, and nobody can verify the tasks and approvals of this server, not even this server after a restart',
    )
  const strays = createStrays(log)
  const turns = createQueueTurns()
  const { vhost, management } = broker
  const { accountRoles: roles, sessionKey: key, sessionLifetimeMs: lifetimeMs, tokens, isOpen } = settings
  const sessions = createSessions({ key, lifetimeMs, vhost })
  const accounts = roles && openBrokerAccounts({ management, vhost, roles })
  const watch = roles && watchAccounts({ management, vhost, roles, everyMs: settings.sessionRecheckMs })
  const oidc = settings.oidc && openOidc(settings.oidc, { key, vhost })
  const { consuming, publishing } = broker
  const audit = await openAuditLog({ consuming, publishing, keys, strays })
  const shared = await openNotices({
    broker,
    sessions,
    keys,
    strays,
    lifetimeMs: settings.approval?.lifetimeMs,
  })
  const dlqs = createDlqLists(broker)
  const onError = createFailureLog(log, { level: 'warn', sentence: 'the queue depths could not be read' })
  const readSamples = createSampleReader({ management, vhost, onError })
  const names = createNames(settings)
  // Its first reading proves, while the rest is opened, that the management API is that of this broker.
  const history = new DepthHistory({ lists: dlqs, readSamples, settings: settings.history, onError })
  const { lookTimeoutMs } = settings
  const tasks = await openTasks({ broker, turns, lookTimeoutMs, audit, keys, strays, log })
  const context: ApiContext = {
    broker,
    vhosts,
    turns,
    settings,
    version,
    sessions,
    dlqs,
    strays,
    tasks,
    ...names,
    ...shared,
    snapshots: new Snapshots({
      broker,
      turns,
      tasks,
      settings,
      nameMessage: names.nameMessage,
      onError: (error) => log.error({ err: error }, 'a snapshot failed'),
    }),
    readSince: createSinceReader({
      vhost,
      management,
      inspect: dlqs.inspect,
      inspectNow: createInspector(broker),
    }),
    slots: createRequestSlots(settings.maxRequests),
    readTraffic: createTrafficReader(broker, dlqs),
    streams: createOpenStreams(),
    plans: createShownPlans(),
    backups: createBackupLocks(broker),
    history,
    audit,
    oidcLogin: oidc?.login,
    loginLink: options.loginLink,
    demo: options.demo,
    accounts: watch,
    authenticator: createAuthenticator({
      guard: vhosts.guard,
      vhost,
      isOpen,
      accounts,
      tokens,
      oidc: oidc?.checkBearer,
      sessions,
      watch,
    }),
  }
  vhosts.add(vhost, context)
  return context
}
