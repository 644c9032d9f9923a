import amqp from 'amqplib'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { callManagement } from '../../support/call-management.ts'
import { endNode } from '../../support/end-node.ts'
import { eventually } from '../../support/eventually.ts'
import { type RabbitNode, startRabbitNode } from '../../support/start-rabbit-node.ts'
import { describeWithNode } from '../../support/with-node.ts'

describeWithNode('a private node', () => {
  let node: RabbitNode

  beforeAll(async () => {
    const config = { heartbeat: 7 }
    node = await startRabbitNode({
      plugins: ['rabbitmq_shovel_management'],
      config,
      deadLetterResendMs: 9_000,
    })
  })
  afterAll(() => node?.destroy())

  async function publishDurably(queue: string): Promise<void> {
    const connection = await amqp.connect(node.amqpUrl)
    const channel = await connection.createConfirmChannel()
    await channel.assertQueue(queue, { durable: true })
    channel.sendToQueue(queue, Buffer.from('kept'), { persistent: true })
    await channel.waitForConfirms()
    await connection.close()
  }

  async function takeOne(queue: string): Promise<string | undefined> {
    const connection = await amqp.connect(node.amqpUrl)
    const channel = await connection.createChannel()
    channel.on('error', () => {}) // told by the call as well
    const message = await channel.get(queue, { noAck: true })
    await connection.close()
    return message ? message.content.toString() : undefined
  }

  test('has the plugins and the configuration that were asked for', async () => {
    const overview = await callManagement<{ rabbitmq_version: string }>(node, 'GET', '/api/overview')
    const shovels = await callManagement(node, 'GET', '/api/shovels')
    const keys = ['heartbeat', 'dead_letter_worker_publisher_confirm_timeout']
    const reads = keys.map((key) => `element(2, application:get_env(rabbit, ${key}))`)
    const settings = await node.rabbitmqctl('eval', `[${reads.join()}].`)

    expect(overview.rabbitmq_version).toBe(node.version)
    expect(shovels).toEqual([])
    expect(settings.trim()).toBe('[7,9000]')
  })

  test('that is killed −9 ends its connections, and keeps what it confirmed when it is started again', async () => {
    await publishDurably('killed')
    // That there is a queue is written to the disk later than the message in it was confirmed.
    await node.rabbitmqctl('eval', 'catch mnesia:sync_log().')
    const connection = await amqp.connect(node.amqpUrl)
    const lost = new Promise((resolve) => connection.once('close', resolve))
    connection.on('error', () => {})

    const startAgain = await endNode(node, 'kill9')
    await lost
    await expect(amqp.connect(node.amqpUrl)).rejects.toThrow('ECONNREFUSED')
    await startAgain()

    expect(await takeOne('killed')).toBe('kept')
  })

  test('that is stopped says goodbye to its clients, and keeps its data', async () => {
    await publishDurably('stopped')
    const connection = await amqp.connect(node.amqpUrl)
    const goodbye = new Promise<Error>((resolve) => connection.once('close', resolve))

    const startAgain = await endNode(node, 'stop')
    await startAgain()

    // 320: the broker closed the connection by an AMQP method, which a killed one cannot do.
    expect((await goodbye).message).toContain('320')
    expect(await takeOne('stopped')).toBe('kept')
  })

  test('that is paused answers nobody, and goes on where it was when it is resumed', async () => {
    const connection = await amqp.connect(node.amqpUrl)
    const channel = await connection.createConfirmChannel()
    await channel.assertQueue('paused', { durable: true })
    let isConfirmed = false

    onTestFinished(() => node.resume())
    await node.pause()
    channel.sendToQueue('paused', Buffer.from('later'), {}, () => {
      isConfirmed = true
    })
    const request = fetch(`${node.managementUrl}/api/overview`, { signal: AbortSignal.timeout(500) })
    await expect(request).rejects.toThrow('timeout')
    expect(isConfirmed).toBe(false)
    await node.resume()

    await eventually(() => isConfirmed)
    await connection.close()
    expect(await takeOne('paused')).toBe('later')
  })

  test('that refuses its configuration says so at once', async () => {
    const start = startRabbitNode({ config: { 'no.such.setting': 1 } })

    await expect(start).rejects.toThrow(/no\.such\.setting/)
  })
})
