import { defineTopology, type Topology } from 'warrenmq'

const retry = { delays: [process.env.RETRY_DELAY ?? '15s'], maxAttempts: 3 }
const events = (key: string) => ({ exchange: 'domain.events', key })
const commands = (key: string) => ({ exchange: 'domain.commands', key })

const topology: Topology<string> = defineTopology({
  layout: 'isolated',
  exchanges: { 'domain.events': { type: 'topic' }, 'domain.commands': { type: 'topic' } },
  queues: {
    'q.upload.commands': {
      bind: [commands('commands.upload.#'), commands('commands.file.reprocess.*')],
      retry,
    },
    'q.validator': { bind: [events('files.uploaded.*')], retry },
    'q.thumbnail': { bind: [events('files.validated.*')], retry },
    'q.extractor': { bind: [events('files.validated.*')], retry },
    'q.projection': { bind: [events('#')], retry },
    'q.notification': { bind: [events('processing.#'), events('files.rejected.*')], retry },
    'q.audit': { bind: [events('#')], retry },
  },
})

export default topology
