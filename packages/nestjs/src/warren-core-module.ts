import type { DynamicModule, FactoryProvider, Provider } from '@nestjs/common'
import { ModulesContainer } from '@nestjs/core'
import type { TopologyDeclaration, Warren } from 'warrenmq'
import { mergeTopologies } from './merge-topologies.ts'
import { openConnection, WarrenConnection } from './warren-connection.ts'
import {
  featureToken,
  optionsToken,
  testingToken,
  type WarrenModuleAsyncOptions,
  type WarrenModuleOptions,
} from './warren-module-options.ts'
import { WarrenPublisher } from './warren-publisher.ts'

/** What `WarrenTestingModule` puts in the place of the configured broker. */
export interface TestingBroker {
  start(): Promise<{ readonly url: string; readonly managementUrl: string }>
  stop(): Promise<void>
}

/** The connection and the publisher, for every module of the application. */
// biome-ignore lint/complexity/noStaticOnlyClass: Nest's modules are classes.
export class WarrenCoreModule {
  static register(
    options: Provider<WarrenModuleOptions>,
    imports: WarrenModuleAsyncOptions['imports'],
  ): DynamicModule {
    return {
      module: WarrenCoreModule,
      global: true,
      imports: imports ?? [],
      providers: [options, connectionProvider, publisherProvider, closingProvider],
      exports: [optionsToken, WarrenConnection, WarrenPublisher],
    }
  }
}

const connectionProvider: FactoryProvider<Warren<string>> = {
  provide: WarrenConnection,
  inject: [optionsToken, ModulesContainer],
  useFactory: async (options: WarrenModuleOptions, modules: ModulesContainer) => {
    const testing = valuesOf<TestingBroker>(modules, testingToken)[0]
    const features = valuesOf<TopologyDeclaration<string>>(modules, featureToken)
    const parts = options.topology ? [options.topology, ...features] : features
    return openConnection(options, mergeTopologies(parts), await testing?.start())
  },
}

const publisherProvider: FactoryProvider = {
  provide: WarrenPublisher,
  inject: [WarrenConnection],
  useFactory: (warren: Warren<string>) => warren.publisher(),
}

/** Closes last: what others still publish while they shut down is sent. */
const closingProvider: FactoryProvider = {
  provide: Symbol('closes the connection'),
  inject: [WarrenConnection, optionsToken, ModulesContainer],
  useFactory: (warren: Warren<string>, options: WarrenModuleOptions, modules: ModulesContainer) => ({
    async onApplicationShutdown(): Promise<void> {
      await warren.close(options.closeDeadline === undefined ? {} : { deadline: options.closeDeadline })
      await valuesOf<TestingBroker>(modules, testingToken)[0]?.stop()
    },
  }),
}

/** Values are there before any provider is made, whichever module has them. */
function valuesOf<Value>(modules: ModulesContainer, token: symbol): readonly Value[] {
  return [...modules.values()].flatMap(({ providers }) => {
    const provider = providers.get(token)
    return provider ? [provider.instance as Value] : []
  })
}
