import amqplib from 'amqplib'
import { startEmbeddedBroker } from 'warrenmq/testing'
import { runThroughAmqplib } from './embedded-amqplib-run.mjs'
import { task } from './participant.mjs'

// Broker and client share this process and its one thread, as they do in a test.
const broker = await startEmbeddedBroker()
const connection = await amqplib.connect(broker.url)
const channel = await connection.createChannel()
await channel.assertQueue(task.queue)
await connection.close()
await runThroughAmqplib(broker.url, task.queue)
await broker.stop()
