import { runThroughAmqplib } from './embedded-amqplib-run.mjs'
import { task } from './participant.mjs'

await runThroughAmqplib(task.url, task.queue)
