import type { DiscoveryService, MetadataScanner } from '@nestjs/core'
import { type Consumer, logConsumer, type TopologyDeclaration, type Warren } from 'warrenmq'
import { createHandler } from './create-handler.ts'
import { findConsumers } from './find-consumers.ts'
import { type FoundConsumer, titleOf } from './found-consumer.ts'
import { nestLogger } from './nest-logger.ts'
import { type ClosingWarren, defaultDrain, type WarrenModuleOptions } from './warren-module-options.ts'
import type { NestRuntime } from './wrapping.ts'

interface ConsumersParts extends NestRuntime {
  readonly warren: Warren<string>
  readonly topology: TopologyDeclaration<string>
  readonly options: WarrenModuleOptions
  readonly closing: ClosingWarren
  readonly discovery: DiscoveryService
  readonly scanner: MetadataScanner
}

/** The consumers of the application: started when all of it is ready, drained before anything of it is taken down. */
export class WarrenConsumers {
  readonly #parts: ConsumersParts
  readonly #consumers = new Map<string, Consumer>()

  constructor(parts: ConsumersParts) {
    this.#parts = parts
  }

  /** The consumer of a queue, to look at its counts or to pause it; undefined where no method consumes the queue. */
  get(queue: string): Consumer | undefined {
    return this.#consumers.get(queue)
  }

  /** Nest calls no hook of an application that did not start, and what is open would keep its process from ending. */
  async onApplicationBootstrap(): Promise<void> {
    try {
      await this.#startAll()
    } catch (error) {
      await this.#parts.closing.onApplicationShutdown()
      throw error
    }
  }

  async onModuleDestroy(): Promise<void> {
    const deadline = this.#parts.options.closeDeadline ?? defaultDrain
    await Promise.all([...this.#consumers.values()].map((consumer) => consumer.close({ deadline })))
  }

  async #startAll(): Promise<void> {
    const { discovery, scanner, topology } = this.#parts
    const queuesHandling = (message: string) =>
      Object.keys(topology.queues).filter((queue) => topology.queues[queue]?.handles?.includes(message))
    const found = findConsumers({ discovery, scanner, queuesHandling })
    await Promise.all(found.map((each) => this.#start(each)))
  }

  async #start(found: FoundConsumer): Promise<void> {
    const consumer = await this.#consume(found)
    logConsumer(consumer, nestLogger(titleOf(found)))
    this.#consumers.set(found.queue, consumer)
  }

  async #consume({ queue, options: own, method, methods }: FoundConsumer): Promise<Consumer> {
    const { warren, options } = this.#parts
    const joined = { ...options.consumers, ...own }
    if (method) return warren.consume(queue, await createHandler(method, this.#parts), joined)
    const handlers = await Promise.all(
      [...methods].map(async ([message, each]) => [message, await createHandler(each, this.#parts)] as const),
    )
    // The types of messages are those of the topology, which only its module knows.
    return warren.consume(queue, Object.fromEntries(handlers) as never, joined)
  }
}
