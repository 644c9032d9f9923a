import type { ContextIdFactory, ExternalContextCreator, ModuleRef } from '@nestjs/core'
import type { FoundMethod } from './found-consumer.ts'

type ContextId = ReturnType<typeof ContextIdFactory.create>

/** The parts of Nest that run a method with its pipes, guards, interceptors and filters. */
export interface NestRuntime {
  readonly contexts: ExternalContextCreator
  readonly moduleRef: ModuleRef
}

/** A method of one instance, to be run with what Nest wraps around it. */
export interface Wrapping {
  readonly found: FoundMethod
  readonly nest: NestRuntime
  readonly instance: object
  /** Of the message, if the instance was made for it. */
  readonly contextId?: ContextId
}
