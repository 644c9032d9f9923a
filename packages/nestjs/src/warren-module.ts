import type { DynamicModule, FactoryProvider, Provider } from '@nestjs/common'
import {
  DiscoveryModule,
  DiscoveryService,
  ExternalContextCreator,
  MetadataScanner,
  ModuleRef,
} from '@nestjs/core'
import { InvalidArgumentError, type TopologyDeclaration, type Warren } from 'warrenmq'
import { WarrenConnection } from './warren-connection.ts'
import { WarrenConsumers } from './warren-consumers.ts'
import { WarrenCoreModule } from './warren-core-module.ts'
import { WarrenFeatureModule } from './warren-feature-module.ts'
import {
  type ClosingWarren,
  closingToken,
  optionsToken,
  topologyToken,
  type WarrenModuleAsyncOptions,
  type WarrenModuleOptions,
  type WarrenOptionsFactory,
} from './warren-module-options.ts'

/** Warren in a Nest application: one connection, a publisher to inject, and a consumer for every `@Consume`. */
// biome-ignore lint/complexity/noStaticOnlyClass: Nest's modules are classes.
export class WarrenModule {
  /**
   * For the root module. The application does not start before the broker is reached and has the topology.
   * @example
   * ```ts
   * @Module({ imports: [WarrenModule.forRoot({ url: 'amqp://localhost', topology })] })
   * export class AppModule {}
   * ```
   */
  static forRoot(options: WarrenModuleOptions): DynamicModule {
    return createModule({ provide: optionsToken, useValue: options })
  }

  /**
   * For the root module, with options from a provider.
   * @example
   * ```ts
   * WarrenModule.forRootAsync({
   *   inject: [ConfigService],
   *   useFactory: (config: ConfigService) => ({ url: config.getOrThrow('AMQP_URL'), topology }),
   * })
   * ```
   */
  static forRootAsync(options: WarrenModuleAsyncOptions): DynamicModule {
    return createModule(provideOptions(options), options)
  }

  /**
   * The part of the topology that belongs to one feature, next to its consumers. All parts become one topology.
   * @example
   * ```ts
   * @Module({
   *   imports: [WarrenModule.forFeature({ queues: { 'billing.orders': { retry: { delays: ['5s', '1m'] } } } })],
   *   providers: [BillingConsumer],
   * })
   * export class BillingModule {}
   * ```
   */
  static forFeature(topology: TopologyDeclaration<string>): DynamicModule {
    return WarrenFeatureModule.register(topology)
  }
}

function createModule(
  options: Provider<WarrenModuleOptions>,
  { imports }: Pick<WarrenModuleAsyncOptions, 'imports'> = {},
): DynamicModule {
  return {
    module: WarrenModule,
    imports: [WarrenCoreModule.register(options, imports), DiscoveryModule],
    providers: [consumersProvider],
    exports: [WarrenConsumers],
  }
}

const consumersProvider: FactoryProvider<WarrenConsumers> = {
  provide: WarrenConsumers,
  inject: [
    WarrenConnection,
    topologyToken,
    optionsToken,
    closingToken,
    DiscoveryService,
    MetadataScanner,
    ExternalContextCreator,
    ModuleRef,
  ],
  useFactory: (
    warren: Warren<string>,
    topology: TopologyDeclaration<string>,
    options: WarrenModuleOptions,
    closing: ClosingWarren,
    discovery: DiscoveryService,
    scanner: MetadataScanner,
    contexts: ExternalContextCreator,
    moduleRef: ModuleRef,
  ) => new WarrenConsumers({ warren, topology, options, closing, discovery, scanner, contexts, moduleRef }),
}

function provideOptions(options: WarrenModuleAsyncOptions): FactoryProvider<WarrenModuleOptions> {
  const { inject = [], useFactory, useClass, useExisting } = options
  if (useFactory) return { provide: optionsToken, inject, useFactory }
  if (useExisting)
    return {
      provide: optionsToken,
      inject: [useExisting],
      useFactory: (factory: WarrenOptionsFactory) => factory.createWarrenOptions(),
    }
  if (useClass)
    return {
      provide: optionsToken,
      inject: [ModuleRef],
      useFactory: async (moduleRef: ModuleRef) => (await moduleRef.create(useClass)).createWarrenOptions(),
    }
  throw new InvalidArgumentError(
    'WarrenModule.forRootAsync() got no options. Give it `useFactory`, `useClass` or `useExisting`.',
  )
}
