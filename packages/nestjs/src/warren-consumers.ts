import type { DiscoveryService, MetadataScanner } from '@nestjs/core'
import { type Consumer, logConsumer, type Warren } from 'warrenmq'
import { createHandler, type NestRuntime } from './create-handler.ts'
import { type FoundConsumer, findConsumers, nameOf } from './find-consumers.ts'
import { nestLogger } from './nest-logger.ts'
import { defaultDrain, type WarrenModuleOptions } from './warren-module-options.ts'

interface ConsumersParts extends NestRuntime {
  readonly warren: Warren<string>
  readonly options: WarrenModuleOptions
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

  async onApplicationBootstrap(): Promise<void> {
    const found = findConsumers(this.#parts.discovery, this.#parts.scanner)
    await Promise.all(found.map((each) => this.#start(each)))
  }

  async onModuleDestroy(): Promise<void> {
    const deadline = this.#parts.options.closeDeadline ?? defaultDrain
    await Promise.all([...this.#consumers.values()].map((consumer) => consumer.close({ deadline })))
  }

  async #start(found: FoundConsumer): Promise<void> {
    const { warren, options } = this.#parts
    const handler = createHandler(found, this.#parts)
    const consumer = await warren.consume(found.queue, handler, { ...options.consumers, ...found.options })
    logConsumer(consumer, nestLogger(nameOf(found)))
    this.#consumers.set(found.queue, consumer)
  }
}
