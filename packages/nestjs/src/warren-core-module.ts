import type { DynamicModule, FactoryProvider, Provider } from '@nestjs/common'
import { ModulesContainer } from '@nestjs/core'
import { InvalidArgumentError, type TopologyDeclaration, type Warren } from 'warrenmq'
import { logConnection } from './log-connection.ts'
import { mergeTopologies } from './merge-topologies.ts'
import { nestLogger } from './nest-logger.ts'
import { openConnection, WarrenConnection } from './warren-connection.ts'
import { WarrenHealth } from './warren-health.ts'
import {
  type ClosingWarren,
  closingToken,
  featureToken,
  optionsToken,
  testingToken,
  topologyToken,
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
      providers: [
        options,
        topologyProvider,
        connectionProvider,
        publisherProvider,
        healthProvider,
        closingProvider,
      ],
      exports: [optionsToken, topologyToken, closingToken, WarrenConnection, WarrenPublisher, WarrenHealth],
    }
  }
}

const topologyProvider: FactoryProvider<TopologyDeclaration<string>> = {
  provide: topologyToken,
  inject: [optionsToken, ModulesContainer],
  useFactory: ({ topology }: WarrenModuleOptions, modules: ModulesContainer) => {
    refuseSecondRoot(modules)
    const features = valuesOf<TopologyDeclaration<string>>(modules, featureToken)
    return mergeTopologies(topology ? [topology, ...features] : features)
  },
}

const connectionProvider: FactoryProvider<Warren<string>> = {
  provide: WarrenConnection,
  inject: [optionsToken, topologyToken, ModulesContainer],
  useFactory: async (
    options: WarrenModuleOptions,
    topology: TopologyDeclaration<string>,
    modules: ModulesContainer,
  ) => {
    const testing = valuesOf<TestingBroker>(modules, testingToken)[0]
    const warren = await openConnection(options, topology, await testing?.start())
    logConnection(warren, nestLogger('Warren'))
    return warren
  },
}

const publisherProvider: FactoryProvider = {
  provide: WarrenPublisher,
  inject: [WarrenConnection],
  useFactory: (warren: Warren<string>) => warren.publisher(),
}

const healthProvider: FactoryProvider<WarrenHealth> = {
  provide: WarrenHealth,
  inject: [WarrenConnection],
  useFactory: (warren: Warren<string>) => new WarrenHealth(warren),
}

/** Closes last: what others still publish while they shut down is sent. */
const closingProvider: FactoryProvider<ClosingWarren> = {
  provide: closingToken,
  inject: [WarrenConnection, optionsToken, ModulesContainer],
  useFactory: (warren: Warren<string>, options: WarrenModuleOptions, modules: ModulesContainer) => ({
    async onApplicationShutdown(): Promise<void> {
      await warren.close(options.closeDeadline === undefined ? {} : { deadline: options.closeDeadline })
      await valuesOf<TestingBroker>(modules, testingToken)[0]?.stop()
    },
  }),
}

/** Each would start a consumer for every method of the application. */
function refuseSecondRoot(modules: ModulesContainer): void {
  const roots = [...modules.values()].filter(({ providers }) => providers.has(optionsToken))
  if (roots.length > 1)
    throw new InvalidArgumentError(
      'WarrenModule.forRoot() is imported twice, and an application has one connection. Import it in the root module ' +
        'only, and declare the queues of other modules with WarrenModule.forFeature().',
    )
}

/** Values are there before any provider is made, whichever module has them. */
function valuesOf<Value>(modules: ModulesContainer, token: symbol): readonly Value[] {
  return [...modules.values()].flatMap(({ providers }) => {
    const provider = providers.get(token)
    return provider ? [provider.instance as Value] : []
  })
}
