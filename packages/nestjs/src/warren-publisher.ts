import type { MessageDeclarations, NoMessages, Publisher } from 'warrenmq'

/**
 * The application's publisher, and the token it is injected by. With the type of your messages it publishes them by their
 * names, and TypeScript checks the bodies.
 * @example
 * ```ts
 * @Injectable()
 * export class OrdersService {
 *   constructor(private readonly publisher: WarrenPublisher<typeof messages>) {}
 *
 *   place = (order: Order) => this.publisher.publish('OrderPlaced', order)
 * }
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: nobody makes one; the class is a name for Nest to inject by.
// biome-ignore lint/correctness/noUnusedVariables: the interface beside it must have the same parameters.
export abstract class WarrenPublisher<Messages extends MessageDeclarations = NoMessages> {}
export interface WarrenPublisher<Messages extends MessageDeclarations = NoMessages>
  extends Publisher<Messages> {}
