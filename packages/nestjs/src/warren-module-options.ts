import type { ModuleMetadata, Type } from '@nestjs/common'
import type { ApplySettings, ConnectOptions, ConsumerOptions, Duration, TopologyDeclaration } from 'warrenmq'

/** Where the broker is, and how this application uses it. */
export interface WarrenModuleOptions extends Omit<ConnectOptions<string>, 'topology' | 'closeOn'> {
  /**
   * The URL of the broker, or of several of its hosts.
   * @example 'amqp://localhost'
   */
  readonly url: string | readonly string[]
  /** What all of the application shares; parts that belong to one feature are told to `forFeature`. @default nothing */
  readonly topology?: TopologyDeclaration<string>
  /**
   * Declares what is missing on the broker before consumers start, as `warren apply` does. `false` leaves that to your
   * deployment.
   * @default true
   */
  readonly apply?: boolean | ApplySettings
  /** What every consumer gets, unless its decorator says otherwise. @default the library's defaults */
  readonly consumers?: ConsumerOptions
}

/** Options that come from a provider, such as the one that reads your configuration. */
export interface WarrenModuleAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  /** Providers that `useFactory` is called with, in this order. */
  // biome-ignore lint/suspicious/noExplicitAny: Nest's own type for what a factory injects.
  readonly inject?: any[]
  /**
   * Makes the options.
   * @example (config: ConfigService) => ({ url: config.getOrThrow('AMQP_URL') })
   */
  // biome-ignore lint/suspicious/noExplicitAny: what it takes is decided by `inject`.
  readonly useFactory?: (...args: any[]) => WarrenModuleOptions | Promise<WarrenModuleOptions>
  /** A class that makes the options; Nest instantiates it for this. */
  readonly useClass?: Type<WarrenOptionsFactory>
  /** A provider that exists already and makes the options. */
  readonly useExisting?: Type<WarrenOptionsFactory>
}

/** What a class for `useClass` or `useExisting` must have. */
export interface WarrenOptionsFactory {
  /** Makes the options. */
  createWarrenOptions(): WarrenModuleOptions | Promise<WarrenModuleOptions>
}

/** Closes the connection; Nest calls it when the application shuts down. */
export interface ClosingWarren {
  onApplicationShutdown(): Promise<void>
}

/** How long handlers may take to finish when the application shuts down. */
export const defaultDrain: Duration = '30s'

/** Keys are registered symbols: an application that loads this package twice, by import and by require, has one of each. */
export const optionsToken: symbol = Symbol.for('warrenmq:nestjs:options')
export const topologyToken: symbol = Symbol.for('warrenmq:nestjs:topology')
export const closingToken: symbol = Symbol.for('warrenmq:nestjs:closing')
export const featureToken: symbol = Symbol.for('warrenmq:nestjs:feature')
export const testingToken: symbol = Symbol.for('warrenmq:nestjs:testing')
