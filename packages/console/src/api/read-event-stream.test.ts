import { expect, it } from 'vitest'
import { readEventStream } from './read-event-stream.ts'

it('events are read as they come, however they are cut, and comments are none', async () => {
  const text =
    'retry: 2000\n\nid: 1\nevent: dlqs\ndata: {"a":"b: c"}\n\n: still there\n\nid: 2\nevent: tasks\ndata: {}\n\n'
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const character of text) controller.enqueue(new TextEncoder().encode(character))
      controller.close()
    },
  })

  const events = []
  for await (const event of readEventStream(body)) events.push(event)

  expect(events).toEqual([
    { id: '1', name: 'dlqs', data: '{"a":"b: c"}' },
    { id: '2', name: 'tasks', data: '{}' },
  ])
})
