import type { Health, Warren } from 'warrenmq'

/** What `HealthCheckService` of @nestjs/terminus takes, under the name that was given. */
export type WarrenHealthResult<Key extends string> = Readonly<
  Record<Key, Omit<Health, 'isHealthy'> & { readonly status: 'up' | 'down' }>
>

/**
 * How the application's connections and consumers are, as a health indicator of @nestjs/terminus. It asks nobody: an
 * answer costs nothing, and comes also while the broker does not answer.
 * @example
 * ```ts
 * @Get('health')
 * @HealthCheck()
 * check() {
 *   return this.checks.check([() => this.warren.isHealthy('rabbitmq')])
 * }
 * ```
 */
export class WarrenHealth {
  readonly #warren: Pick<Warren<string>, 'health'>

  constructor(warren: Pick<Warren<string>, 'health'>) {
    this.#warren = warren
  }

  /** `up` while both connections are there, publishing is not blocked, and every consumer receives or is paused. */
  isHealthy<Key extends string>(key: Key): WarrenHealthResult<Key> {
    const { isHealthy, ...details } = this.#warren.health()
    return { [key]: { status: isHealthy ? 'up' : 'down', ...details } } as WarrenHealthResult<Key>
  }
}
