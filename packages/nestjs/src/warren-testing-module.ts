import type { DynamicModule } from '@nestjs/common'
import { type EmbeddedBroker, type EmbeddedBrokerOptions, startEmbeddedBroker } from 'warrenmq/testing'
import type { TestingBroker } from './warren-core-module.ts'
import { testingToken } from './warren-module-options.ts'

/** The embedded broker of a test, and the token it is injected by: its clock, its queues, its faults. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: nobody makes one; the class is a name for Nest to inject by.
export abstract class WarrenTestingBroker {}
export interface WarrenTestingBroker extends EmbeddedBroker {}

/** Puts the embedded broker in the place of the one that the application is configured for. */
// biome-ignore lint/complexity/noStaticOnlyClass: Nest's modules are classes.
export class WarrenTestingModule {
  /**
   * Beside the application's own module, which needs no change. Closing the test's module stops the broker.
   * @example
   * ```ts
   * const module = await Test.createTestingModule({ imports: [AppModule, WarrenTestingModule.forRoot()] }).compile()
   * await module.init()
   * await module.get(WarrenTestingBroker).clock.advance('30m')
   * ```
   */
  static forRoot(options: EmbeddedBrokerOptions = {}): DynamicModule {
    const broker = new StartedOnce(options)
    return {
      module: WarrenTestingModule,
      global: true,
      providers: [
        { provide: testingToken, useValue: broker },
        { provide: WarrenTestingBroker, useFactory: () => broker.start() },
      ],
      exports: [WarrenTestingBroker],
    }
  }
}

/** The connection and the test ask for it, in whichever order Nest makes them. */
class StartedOnce implements TestingBroker {
  readonly #options: EmbeddedBrokerOptions
  #started: Promise<EmbeddedBroker> | undefined

  constructor(options: EmbeddedBrokerOptions) {
    this.#options = options
  }

  start(): Promise<EmbeddedBroker> {
    this.#started ??= startEmbeddedBroker({ clock: 'virtual', ...this.#options })
    return this.#started
  }

  async stop(): Promise<void> {
    await (await this.#started)?.stop()
  }
}
