import type { Publisher } from 'warrenmq'

/**
 * The application's publisher, and the token it is injected by.
 * @example
 * ```ts
 * @Injectable()
 * export class OrdersService {
 *   constructor(private readonly publisher: WarrenPublisher) {}
 * }
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: nobody makes one; the class is a name for Nest to inject by.
export abstract class WarrenPublisher {}
export interface WarrenPublisher extends Publisher {}
