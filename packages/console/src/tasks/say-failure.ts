const sentences: Readonly<Record<string, string>> = {
  unroutable: 'no queue is bound where they were sent',
  refused: 'the queue refused them',
  unanswered: 'RabbitMQ did not answer in time',
}

/** How messages failed, in words; what a newer server says is shown as it is. They are all still in the queue. */
export function sayFailure(kind: string): string {
  return sentences[kind] ?? kind
}
