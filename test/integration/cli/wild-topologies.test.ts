import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCliHere } from '../../support/run-cli-here.ts'
import { createVhost, useBroker } from '../../support/use-broker.ts'

await useBroker()
const folder = 'test/fixtures/wild'
const names = readdirSync(folder).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : []))

interface Wild {
  /** Queues of each role that is not work; everything else is worked on. */
  readonly wait?: readonly string[]
  readonly dead?: readonly string[]
  /** `finding: queues`, on RabbitMQ 4.0. */
  readonly findings: Readonly<Record<string, readonly string[]>>
}

const celeryDelays = Array.from({ length: 28 }, (_, level) => `celery_delayed_${level}`)
const tides = ['user', 'mail'].flatMap((name) =>
  ['30s', '5m', '30m'].map((delay) => `tide.${name}.wait.${delay}`),
)

const wild: Readonly<Record<string, Wild>> = {
  'ratatoskr-renamed': {
    wait: ['depot.shipments.snooze'],
    dead: ['depot.shipments.graveyard'],
    findings: {
      'ends/cut-cycle': ['depot.shipments'],
      'no-silent-loss/at-most-once-hop': ['depot.shipments', 'depot.shipments.snooze'],
      'dlq-keeps/delivery-limit': ['depot.shipments.graveyard'],
    },
  },
  'event-bus-renamed': {
    wait: ['crm.again-queue.crm-mail', 'crm.again-queue.crm-search'],
    // Only a program publishes to a morgue, and its name says nothing: a person has to give it a role.
    findings: {
      'no-silent-loss/at-most-once-hop': [
        ...['crm.again-queue.crm-mail', 'crm.again-queue.crm-search'],
        ...['crm.queue.crm-mail', 'crm.queue.crm-search'],
      ],
      'second-failure/no-dead-letter-queue': [
        ...['crm.morgue.crm-mail', 'crm.morgue.crm-search'],
        ...['crm.queue.crm-mail', 'crm.queue.crm-search'],
      ],
    },
  },
  'freeflow-renamed': {
    wait: tides,
    dead: ['tide.events.lost'],
    findings: { 'no-silent-loss/at-most-once-hop': ['tide.mail', 'tide.user', ...tides] },
  },
  'isolated-renamed': {
    wait: ['q.scanner.pause'],
    dead: ['q.scanner.parkingLot'],
    findings: { 'no-silent-loss/at-most-once-hop': ['q.scanner', 'q.scanner.pause'] },
  },
  'shared-rejects': {
    dead: ['imports.rejected'],
    findings: { 'no-silent-loss/at-most-once-hop': ['cache', 'scan', 'thumbs'] },
  },
  'rascal-advanced': {
    wait: ['delay:1m'],
    dead: ['dead_letters:registration_service'],
    findings: {
      // Without the CC that rascal adds to it, a message would not come back.
      'no-black-hole/dead-letter-unrouted': ['delay:1m'],
      'no-silent-loss/at-most-once-hop': [
        ...['delay:1m', 'registration_service:user:delete', 'registration_service:user:save'],
      ],
    },
  },
  'spring-amqp': {
    dead: ['orders.billing.dlq', 'orders.mail.error'],
    findings: { 'no-silent-loss/at-most-once-hop': ['orders.billing'] },
  },
  'spring-cloud-stream': {
    wait: ['payments.mail.dlq'],
    dead: ['payments.ledger.dlq', 'payments.mail.parkingLot'],
    findings: {
      'no-silent-loss/at-most-once-hop': ['payments.ledger', 'payments.mail', 'payments.mail.dlq'],
      'no-silent-loss/auto-delete': ['audit.anonymous.Zk3f1QmFT6y6u5jv9iRk2w'],
      'no-silent-loss/not-durable': ['audit.anonymous.Zk3f1QmFT6y6u5jv9iRk2w'],
      'second-failure/no-dead-letter-queue': ['audit.anonymous.Zk3f1QmFT6y6u5jv9iRk2w'],
    },
  },
  masstransit: {
    dead: ['order-state_error', 'shipping-label_error', 'shipping-label_skipped'],
    findings: {
      'no-silent-loss/delivery-limit-drops': ['order-state'],
      'dlq-keeps/delivery-limit': ['order-state_error'],
    },
  },
  'nestjs-golevelup': {
    dead: ['shop.dead-letters', 'shop.order-created.dead'],
    findings: {
      // Sent to it by its name, as a re-drive does, a message that fails again has a key that nothing is bound to.
      'no-black-hole/dead-letter-unrouted': ['shop.refund'],
      'no-silent-loss/at-most-once-hop': ['shop.order-created'],
      'no-silent-loss/classic-to-quorum-hop': ['shop.refund'],
      'dlq-keeps/delivery-limit': ['shop.dead-letters'],
      'second-failure/no-dead-letter-queue': ['shop.rpc.price'],
    },
  },
  celery: {
    wait: celeryDelays,
    findings: {
      // Its delays work only for keys of 28 bits and a queue, as Celery writes them.
      'no-black-hole/dead-letter-unrouted': celeryDelays,
      'no-silent-loss/auto-delete': ['celery@web-1.celery.pidbox'],
      'no-silent-loss/delivery-limit-drops': ['celery', 'mail'],
      'no-silent-loss/not-durable': ['an exchange', 'celery@web-1.celery.pidbox'],
      'no-silent-loss/queue-expires': ['celery@web-1.celery.pidbox'],
      'no-silent-loss/ttl-deletes': ['celery@web-1.celery.pidbox'],
      'second-failure/no-dead-letter-queue': ['celery', 'celery@web-1.celery.pidbox', 'mail'],
    },
  },
}

interface Written {
  readonly isSame: boolean
  readonly roles: readonly { readonly name: string; readonly role: string }[]
}

/** A folder with a config in it, and a vhost with the topology on it where one is asked for. */
function setUp(name: string) {
  const source = join(folder, `${name}.json`)
  const home = mkdtempSync(join(tmpdir(), 'warren-wild-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const warren = (...args: readonly string[]) =>
    runCliHere([...args, '--config', join(home, 'warren.config.json')])
  const init = async (...from: readonly string[]) => {
    const { exitCode, printed } = await warren('init', ...from, '--yes', '--json')
    return { exitCode, ...(JSON.parse(printed) as Written) }
  }
  const putOnBroker = async () => {
    const broker = await createVhost()
    onTestFinished(() => broker.drop())
    const definitions = JSON.parse(readFileSync(source, 'utf8')) as object
    await broker.management('POST', `/api/definitions/${broker.vhost}`, definitions)
    const management = new URL(broker.managementUrl)
    management.username = broker.username
    management.password = broker.password
    return ['--url', broker.url, '--management-url', management.href]
  }
  return { source, warren, init, putOnBroker }
}

interface Found {
  readonly property: string
  readonly code: string
  /** None where it is about an exchange. */
  readonly queue?: string
}

function pairOf({ property, code, queue = 'an exchange' }: Found): string {
  return `${property}/${code} ${queue}`
}

function named(roles: Written['roles'], wanted: string): readonly string[] {
  return roles.flatMap(({ name, role }) => (role === wanted ? [name] : [])).toSorted()
}

it('every topology that is kept is tried', () => {
  expect(names.toSorted()).toEqual(Object.keys(wild).toSorted())
})

describe.each(names)('%s', (name) => {
  const { wait = [], dead = [], findings } = wild[name]!

  it('is written down so that a plan is empty, with its wait queues and dead-letter queues recognised', async () => {
    const { source, warren, init, putOnBroker } = setUp(name)
    const address = await putOnBroker()

    for (const from of [
      ['--from-broker', ...address],
      ['--from-definitions', source],
    ]) {
      const written = await init(...from)
      expect(written).toMatchObject({ exitCode: 0, isSame: true })
      expect(named(written.roles, 'wait')).toEqual(wait.toSorted())
      expect(named(written.roles, 'dead-letter')).toEqual(dead.toSorted())
      const planned = await warren('plan', '--detailed-exitcode', ...address)
      expect(planned.said).toContain('Nothing to do: the broker matches the topology.')
      expect(planned.exitCode).toBe(0)
    }
  })

  it('is proved, and what can be lost is named', async () => {
    const { source, warren, init } = setUp(name)
    await init('--from-definitions', source)

    const { printed } = await warren('check', '--broker-version', '4.0', '--json')

    const { proofs } = JSON.parse(printed) as { proofs: { findings: readonly Found[] }[] }
    const found = proofs.flatMap((proof) => proof.findings.map(pairOf))
    const expected = Object.entries(findings).flatMap(([finding, queues]) =>
      queues.map((queue) => `${finding} ${queue}`),
    )
    expect([...new Set(found)].toSorted()).toEqual(expected.toSorted())
  })
})
