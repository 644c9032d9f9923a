/** A queue that is a value: adding to one gives another. Two lists, so that both ends cost the same on average. */
export interface MessageQueue<Message> {
  readonly size: number
  readonly front: Link<Message> | undefined
  readonly back: Link<Message> | undefined
}

interface Link<Message> {
  readonly message: Message
  readonly next: Link<Message> | undefined
}

export const emptyQueue: MessageQueue<never> = { size: 0, front: undefined, back: undefined }

export function pushMessage<Message>(queue: MessageQueue<Message>, message: Message): MessageQueue<Message> {
  if (queue.size === 0) return { size: 1, front: { message, next: undefined }, back: undefined }
  return { size: queue.size + 1, front: queue.front, back: { message, next: queue.back } }
}

export function firstMessage<Message>(queue: MessageQueue<Message>): Message | undefined {
  return queue.front?.message
}

/** All but the first. */
export function restOfQueue<Message>(queue: MessageQueue<Message>): MessageQueue<Message> {
  if (queue.size <= 1) return emptyQueue
  const front = queue.front?.next
  if (front) return { size: queue.size - 1, front, back: queue.back }
  let turned: Link<Message> | undefined
  for (let link = queue.back; link; link = link.next) turned = { message: link.message, next: turned }
  return { size: queue.size - 1, front: turned, back: undefined }
}

/** All of them, from the first to the last. */
export function* messagesOf<Message>(queue: MessageQueue<Message>): Generator<Message> {
  for (let rest = queue; rest.size > 0; rest = restOfQueue(rest)) yield firstMessage(rest)!
}
