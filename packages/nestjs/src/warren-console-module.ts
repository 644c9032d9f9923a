import type { DynamicModule, FactoryProvider } from '@nestjs/common'
import { HttpAdapterHost, ModulesContainer } from '@nestjs/core'
import { InvalidArgumentError, type TopologyDeclaration } from 'warrenmq'
import type { WarrenConsoleOptions } from './console-options.ts'
import { WarrenConsole } from './warren-console.ts'
import {
  optionsToken,
  testingToken,
  topologyToken,
  type WarrenModuleOptions,
} from './warren-module-options.ts'

/** Warren's console as a part of the application. It needs the package `@warrenmq/cli`. */
// biome-ignore lint/complexity/noStaticOnlyClass: Nest's modules are classes.
export class WarrenConsoleModule {
  /**
   * Beside `WarrenModule`, whose broker it shows. People log in with their accounts of RabbitMQ unless `server.auth` says
   * otherwise; the application's own guards do not apply.
   * @example
   * ```ts
   * @Module({ imports: [WarrenModule.forRoot({ url, topology }), WarrenConsoleModule.forRoot({ path: '/warren' })] })
   * export class AppModule {}
   * ```
   */
  static forRoot(options: WarrenConsoleOptions = {}): DynamicModule {
    checkPath(options.path)
    return { module: WarrenConsoleModule, providers: [createProvider(options)] }
  }
}

function createProvider(options: WarrenConsoleOptions): FactoryProvider<WarrenConsole> {
  return {
    provide: WarrenConsole,
    inject: [optionsToken, topologyToken, HttpAdapterHost, ModulesContainer],
    useFactory: (
      connection: WarrenModuleOptions,
      topology: TopologyDeclaration<string>,
      host: HttpAdapterHost,
      modules: ModulesContainer,
    ) =>
      new WarrenConsole({
        options,
        connection,
        topology,
        findServer: () => host.httpAdapter?.getHttpServer(),
        isTesting: [...modules.values()].some(({ providers }) => providers.has(testingToken)),
      }),
  }
}

function checkPath(path = '/warren'): void {
  if (/^(\/[\w.~-]+)+$/.test(path)) return
  throw new InvalidArgumentError(
    `path of WarrenConsoleModule.forRoot() is '${path}'; it must begin with a slash and not end with one, such as '/warren'.`,
  )
}
