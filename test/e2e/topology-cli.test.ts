import { type AddressInfo, connect, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { startProxy } from '../support/start-proxy.ts'
import type { TestVhost } from '../support/use-broker.ts'
import { orders, setupCli } from './cli-rig.ts'
import { useVhost } from './use-vhost.ts'

const otherBinding = {
  ...orders,
  queues: {
    orders: { ...orders.queues.orders, bind: [{ exchange: 'events', key: 'order.#' }] },
    invoices: {},
  },
}
const otherDelay = {
  ...orders,
  queues: { orders: { ...orders.queues.orders, retry: { delays: ['5s'] } } },
}
const otherType = { queues: { orders: { type: 'classic', deadLetter: false } } }

describe('warren apply', () => {
  it('makes what the topology says, so that a plan after it is empty', async () => {
    const { warren } = setupCli(orders, await useVhost())

    const before = await warren('plan --detailed-exitcode --json')
    const applied = await warren('apply')
    const after = await warren('plan --detailed-exitcode --json')

    expect(before.exitCode, before.stderr).toBe(2)
    expect(JSON.parse(before.stdout)).toMatchObject({ isEmpty: false, disruptive: [], impossible: [] })
    expect(applied).toMatchObject({ exitCode: 0, stderr: '' })
    expect(applied.stdout).toContain('done    create queue orders.retry.1m')
    expect(after.exitCode, after.stderr).toBe(0)
    expect(JSON.parse(after.stdout)).toMatchObject({ isEmpty: true, safe: [], isProved: true })
  })

  const queuesOf = async (broker: TestVhost) => {
    const queues = await broker.management<{ name: string }[]>('GET', `/api/queues/${broker.vhost}`)
    return queues.map(({ name }) => name).sort()
  }

  it('changes nothing where a disruptive step is needed and nobody can be asked, and says so', async () => {
    const broker = await useVhost()
    const { warren, write } = setupCli(orders, broker)
    await warren('apply')
    write('warren.config.yaml', otherBinding)

    const withoutConsent = await warren('apply')
    const before = await queuesOf(broker)
    const safeOnly = await warren('apply --safe-only --json')
    const allowed = await warren('apply --allow disruptive --json')

    expect(withoutConsent.exitCode, withoutConsent.stderr).toBe(1)
    expect(withoutConsent.stdout).toMatch(
      /Nothing was changed\. There is no terminal to ask in\..*--safe-only/,
    )
    expect(before).not.toContain('invoices')
    expect(safeOnly.exitCode, safeOnly.stderr).toBe(3)
    expect(JSON.parse(safeOnly.stdout)).toMatchObject({ report: { skipped: 1, isComplete: false } })
    expect(allowed.exitCode, allowed.stderr).toBe(0)
    expect(JSON.parse(allowed.stdout)).toMatchObject({ report: { done: 1, skipped: 0, isComplete: true } })
  })

  it('keeps the wait queue of a delay that was dropped, and removes it when told', async () => {
    const broker = await useVhost()
    const { warren, write } = setupCli(orders, broker)
    await warren('apply')
    write('warren.config.yaml', otherDelay)

    const kept = await warren('apply')
    const planned = await warren('plan --detailed-exitcode')
    const removed = await eventually(async () => {
      const ended = await warren('apply --leftovers remove-empty --json')
      expect(JSON.parse(ended.stdout)).toMatchObject({ report: { done: 1, kept: 0, isComplete: true } })
      return ended
    })

    expect(kept.exitCode, kept.stderr).toBe(0)
    expect(kept.stdout).toContain('kept    delete queue orders.retry.1m: its removal was not requested')
    expect(planned.exitCode, planned.stderr).toBe(0)
    expect(planned.stdout).toMatch(
      /Left over.*\n {2}\? queue orders\.retry\.1m, whose messages return to orders/,
    )
    expect(removed.exitCode).toBe(0)
    expect(await queuesOf(broker)).toEqual(['orders', 'orders.dlq', 'orders.retry.5s'])
  })

  it('never deletes a queue that holds messages, whatever was allowed', async () => {
    const broker = await useVhost()
    const { warren, write } = setupCli(orders, broker)
    await warren('apply')
    await broker.management('POST', `/api/exchanges/${broker.vhost}/amq.default/publish`, {
      properties: {},
      routing_key: 'orders.retry.1m',
      payload: 'x',
      payload_encoding: 'string',
    })
    write('warren.config.yaml', otherDelay)

    const { exitCode, stdout } = await warren('apply --yes --leftovers remove-empty --allow disruptive')

    expect(exitCode).toBe(0)
    expect(stdout).toContain('kept    delete queue orders.retry.1m: it holds')
  })

  it('does nothing about what is impossible in place but name the ways out', async () => {
    const broker = await useVhost()
    const { warren, write } = setupCli(orders, broker)
    await warren('apply')
    write('warren.config.yaml', otherType)

    const { exitCode, stdout } = await warren('apply')

    expect(exitCode).toBe(1)
    expect(stdout).toContain('! queue orders: type is "quorum", the topology says "classic"')
    expect(stdout).toContain('1 impossible in place')
    expect(stdout).toContain(
      'Nothing was changed. Steps that are impossible in place need one of the ways out above.',
    )
  })

  it('declares over AMQP where there is no management API, and says what it could not check', async () => {
    const broker = await useVhost()
    const { warren, write } = setupCli(orders, broker)

    const blind = await warren('apply --no-management --json')
    const seen = await warren('plan --detailed-exitcode')
    write('warren.config.yaml', otherType)
    const refused = await warren('apply --no-management')

    expect(blind.exitCode, blind.stderr).toBe(0)
    expect(JSON.parse(blind.stdout).unchecked).toContain('Policies that override arguments were not checked.')
    expect(seen).toMatchObject({ exitCode: 0 })
    expect(refused.exitCode, refused.stderr).toBe(1)
    expect(refused.stdout).toMatch(/failed {2}create queue orders: .*inequivalent arg/)
    expect(refused.stdout).toContain('`warren plan` names the ways out')
  })

  it('may be run by many replicas at once', async () => {
    const { warren } = setupCli(orders, await useVhost())

    const all = await Promise.all([1, 2, 3].map(() => warren('apply')))
    const after = await warren('plan --detailed-exitcode')

    expect(all.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
    expect(after.exitCode, after.stderr).toBe(0)
  })

  it('without the right to configure says which step was refused and what the user needs', async () => {
    const broker = await useVhost()
    const path = `/api/permissions/${broker.vhost}/${encodeURIComponent(broker.username)}`
    await broker.management('PUT', path, { configure: '^events$', write: '.*', read: '.*' })
    const { warren } = setupCli(orders, broker)

    const { exitCode, stdout } = await warren('apply')

    expect(exitCode).toBe(3)
    expect(stdout).toContain('done    create exchange events')
    expect(stdout).toMatch(/failed {2}create queue orders: .*'orders'.*refused/)
    expect(stdout).toContain('rabbitmqctl set_permissions')
  })

  it('with --wait waits for a broker that is still starting, and without it does not', async () => {
    const broker = await useVhost()
    const { hostname, port } = new URL(broker.url)
    let tries = 0
    const door = createServer((socket) => {
      tries += 1
      if (tries <= 2) return void socket.destroy()
      const behind = connect(Number(port), hostname)
      socket.pipe(behind).pipe(socket)
      for (const each of [socket, behind]) each.on('error', () => each.destroy())
    })
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void door.close())
    const url = broker.url.replace(`${hostname}:${port}`, `127.0.0.1:${(door.address() as AddressInfo).port}`)
    const { warren } = setupCli(orders, broker)

    const hasty = await warren('apply', { AMQP_URL: url })
    const patient = await warren('apply --wait 30s', { AMQP_URL: url })

    expect(hasty).toMatchObject({ exitCode: 1, stdout: '' })
    expect(patient).toMatchObject({ exitCode: 0, stderr: '' })
    expect(tries).toBe(3)
  })

  it('waits as long as it was told for a broker that is not there, and no longer', async () => {
    const { warren } = setupCli(orders)

    const { exitCode, stderr } = await warren('apply --wait 300ms --url amqp://127.0.0.1:1')

    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/^warren: Cannot reach a broker at amqp:\/\/127\.0\.0\.1:1\/.*\n$/)
  })
})

describe('a broker that cannot be used is told in one sentence', () => {
  it.each([
    ['plan', '--management-url http://127.0.0.1:1', /Cannot reach the management API at 127\.0\.0\.1:1/],
    ['apply', '--url amqp://127.0.0.1:1', /Cannot reach a broker at amqp:\/\/127\.0\.0\.1:1\//],
    ['plan', '--vhost nowhere', /no vhost "nowhere".*name another with --vhost/],
    ['apply', '--vhost nowhere', /no vhost "nowhere".*name another with --vhost/],
    ['plan', '--url http://localhost', /The broker's URL cannot be used/],
    ['init --from-broker', '--vhost nowhere', /no vhost "nowhere".*name another with --vhost/],
  ])('%s %s', async (command, option, sentence) => {
    const { warren } = setupCli(orders, await useVhost())

    const { exitCode, stdout, stderr } = await warren(`${command} ${option}`)

    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toMatch(sentence)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})

describe('a user who may not is told so in one sentence', () => {
  const addresses = (broker: TestVhost, name: string, password = 'secret') => {
    const as = (url: string) => Object.assign(new URL(url), { username: name, password }).href
    return { AMQP_URL: as(broker.url), MANAGEMENT_URL: as(broker.managementUrl) }
  }
  const addUser = async (broker: TestVhost, tags: string) => {
    const name = `user-${broker.vhost}`
    await broker.management('PUT', `/api/users/${name}`, { password: 'secret', tags })
    onTestFinished(async () => void (await broker.management('DELETE', `/api/users/${name}`)))
    return name
  }

  it.each([
    ['plan', 'with a wrong password', /user.*password|refused/i],
    ['apply', 'with a wrong password', /user.*password|refused/i],
    ['init --from-broker', 'with a wrong password', /user.*password|refused/i],
  ])('%s %s', async (command, _, sentence) => {
    const broker = await useVhost()
    const { warren } = setupCli(orders, broker)

    const { exitCode, stdout, stderr } = await warren(command, addresses(broker, broker.username, 'wrong'))

    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toMatch(sentence)
    expect(stderr).not.toContain('wrong')
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  it.each([
    ['plan', 'management', /permission|access|may see/i],
    ['plan', '', /management|tag|user/i],
    ['apply', 'management', /vhost|permission|access/i],
  ])('%s with the tag "%s" and no permission in the vhost', async (command, tags, sentence) => {
    const broker = await useVhost()
    const { warren } = setupCli(orders, broker)
    const name = await addUser(broker, tags)

    const { exitCode, stdout, stderr } = await warren(command, addresses(broker, name))

    expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toMatch(sentence)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})

describe('a broker that goes away in the middle of an apply', () => {
  it('leaves a report of what was done and what was not, and the next apply does the rest', async () => {
    const broker = await useVhost()
    const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
    onTestFinished(() => proxy.close())
    const { warren } = setupCli(orders, broker)
    const cut = proxy.cutAtFrame({
      direction: 'to-client',
      classId: 50,
      methodId: 11,
      nth: 2,
      where: 'before',
    })
    void cut.then(() => proxy.refuse())

    const broken = await warren('apply', { AMQP_URL: proxy.urlFor(broker.url) })
    const mended = await warren('apply')
    const after = await warren('plan --detailed-exitcode')

    expect(broken.exitCode).not.toBe(0)
    expect(broken.stdout).toMatch(/^done {4}create exchange/m)
    expect(broken.stdout).toMatch(/^failed {2}create queue .*: .+/m)
    expect(broken.stdout).toMatch(/\d done, \d failed\./)
    expect([mended.exitCode, after.exitCode]).toEqual([0, 0])
  })
})
