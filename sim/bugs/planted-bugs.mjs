// Bugs that the simulation must find, one replacement each. They are planted in a bundle of their own: the library
// carries no switch for them. A replacement that no longer finds its place fails loudly.
const publisher = 'publisher/publish-channel.ts'
const outcome = 'consumer/decide/decide-outcome.ts'
const settlement = 'consumer/settle/settlement.ts'
const answers = 'recovery/redrive/read-failure.ts'
const pump = 'recovery/redrive/pump.ts'
const receipt = 'recovery/redrive/write-receipt.ts'

export const plantedBugs = [
  {
    name: 'a retry is acknowledged before its copy is confirmed',
    file: settlement,
    find: '  const result = await new Promise<PublishResult>((resolve) =>',
    replace: '  run.delivery.ack()\n  const result = await new Promise<PublishResult>((resolve) =>',
  },
  {
    name: 'a returned publish counts as confirmed',
    file: publisher,
    find: 'if (publish.returned) {',
    replace: 'if (publish.returned && !isAck) {',
  },
  {
    name: 'a confirm of one is read as one of all before it',
    file: publisher,
    find: 'this.#unanswered.take(tag, multiple, (publish)',
    replace: 'this.#unanswered.take(tag, true, (publish)',
  },
  {
    name: 'a confirm of several is read as one',
    file: publisher,
    find: 'this.#unanswered.take(tag, multiple, (publish)',
    replace: 'this.#unanswered.take(tag, false, (publish)',
  },
  {
    name: 'a nack counts as a confirm',
    file: publisher,
    find: '(publish) => this.#answered(publish, isAck)',
    replace: '(publish) => this.#answered(publish, true)',
  },
  {
    name: 'what was lost with its connection counts as confirmed',
    file: publisher,
    find: 'for (const publish of over) this.#settle(publish, unknown(publish, true, cause))',
    replace:
      "for (const publish of over) this.#settle(publish, { kind: 'confirmed', messageId: publish.message.messageId, mayBeDuplicate: true })",
  },
  {
    name: 'publishes are not mandatory',
    file: 'publisher/publish-methods.ts',
    find: 'encodePublish({ exchange, routingKey: key, mandatory })',
    replace: 'encodePublish({ exchange, routingKey: key, mandatory: false })',
  },
  {
    name: 'messages are not persistent',
    file: 'publisher/outgoing-message.ts',
    find: 'deliveryMode: message.persistent === false ? 1 : 2',
    replace: 'deliveryMode: 1',
  },
  {
    name: 'attempts are reset by each retry',
    file: 'consumer/settle/republish.ts',
    find: "if (attempts.kind === 'header') return [integer(attempts.header, failedAttempts)]",
    replace: "if (attempts.kind === 'header') return [integer(attempts.header, 0)]",
  },
  {
    name: 'one attempt too many',
    file: outcome,
    find: 'if (attempt >= flow.maxAttempts && flow.park)',
    replace: 'if (attempt > flow.maxAttempts && flow.park)',
  },
  {
    name: 'one attempt too few',
    file: outcome,
    find: 'if (attempt >= flow.maxAttempts && flow.park)',
    replace: 'if (attempt + 1 >= flow.maxAttempts && flow.park)',
  },
  {
    name: 'attempts are counted twice',
    file: 'message/count-attempts.ts',
    find: 'return headerInteger(headers, rule.header) ?? 0',
    replace: 'return (headerInteger(headers, rule.header) ?? 0) * 2',
  },
  {
    name: 'every death in x-death counts as an attempt',
    file: 'message/count-attempts.ts',
    find: '  if (!entry) return 0\n  const seen',
    replace:
      '  if (!entry) return 0\n  if (entry) return deaths.reduce((sum, death) => sum + death.count, 0)\n  const seen',
  },
  {
    name: 'a rejected message is acknowledged',
    file: outcome,
    find: "return deadLetter(decision, 'rejected-by-handler', { errorMessage: result.reason })",
    replace: 'return acknowledge',
  },
  {
    name: 'a message that cannot be decoded is acknowledged',
    file: outcome,
    find: '? deadLetter(decision, permanentReason(result.failure), result.failure)',
    replace: '? acknowledge',
  },
  {
    name: 'a message is dropped after its last attempt',
    file: outcome,
    find: "if (attempt >= flow.maxAttempts && flow.park) return deadLetter(decision, 'attempts-exhausted', failure)",
    replace: 'if (attempt >= flow.maxAttempts && flow.park) return acknowledge',
  },
  {
    name: 'a failed message is acknowledged',
    file: outcome,
    find: ': tryAgain(decision, result.failure)',
    replace: ': acknowledge',
  },
  {
    name: 'a rejection that was not sent is remembered as done',
    file: settlement,
    find: "!== 'sent') return stale(outcome, false)",
    replace: "!== 'sent') return stale(outcome, true)",
  },
  {
    name: 'a retry that was not published is remembered as done',
    file: settlement,
    find: 'if (!run.delivery.isCurrent) return stale(outcome, false)',
    replace: 'if (!run.delivery.isCurrent) return stale(outcome, true)',
  },
  {
    name: 'a failed message is put back at once',
    file: settlement,
    find: "nack({ requeue: outcome.kind === 'give-back' })",
    replace: 'nack({ requeue: true })',
  },
  {
    name: 'an ack covers messages that are still being handled',
    file: 'broker/amqp/ack-ledger.ts',
    find: 'const limit = open.first()',
    replace: 'const limit = Number.MAX_SAFE_INTEGER // ',
  },
  {
    name: 'consumers take messages without acks',
    file: 'broker/amqp/channel.ts',
    find: 'noAck: options.noAck ?? false,',
    replace: 'noAck: true,',
  },
  {
    name: 'running handlers count as done when the channel is lost',
    file: 'consumer/remember/lost-ack-memory.ts',
    find: 'for (const run of running) keep(run.delivery, run)',
    replace: "for (const run of running) keep(run.delivery, 'done')",
  },
  {
    name: 'missed heartbeats go unnoticed',
    file: 'broker/amqp/connection.ts',
    find: 'onMissed: () => this.#fail(heartbeatMissedError(this.endpoint, agreement.heartbeatSeconds)),',
    replace: 'onMissed: () => undefined,',
  },
  {
    name: 'a channel that the broker closed is not opened again',
    file: 'broker/amqp/supervised-channel.ts',
    find: "if (error) this.#of.tell('channel.failed', { channel: name, error, nextAttemptMs })",
    replace: 'if (error) return',
  },
  {
    name: 'a session gives up after its first lost connection',
    file: 'broker/amqp/session.ts',
    find: 'this.#youngDeaths = dateNow() - this.#connectedAt >= healthyMs ? 0 : this.#youngDeaths + 1',
    replace: 'if (this.#connectedAt > 0) return',
  },
  {
    name: 'close() leaves a connection behind',
    file: 'warren.ts',
    find: 'await Promise.all([this.#publishing, this.#consuming].map((session) => session.close(leftMs())))',
    replace: 'await Promise.all([this.#publishing].map((session) => session.close(leftMs())))',
  },
  {
    name: 'a wait for a signal leaves its timer behind',
    file: 'join-signals.ts',
    find: '      clearTimeout(timer)',
    replace: '      void timer',
  },
  {
    name: 'a re-drive acknowledges before the confirm',
    file: pump,
    find: "commands.push({ kind: 'publish', messages })",
    replace: "commands.push({ kind: 'ack', messages }, { kind: 'publish', messages })",
  },
  {
    name: 'a re-drive takes a return for a confirm',
    file: answers,
    find: "return { kind: 'returned', message }",
    replace: "return { kind: 'confirmed', messages: [message] }",
  },
  {
    name: 'a re-drive takes a nack for a confirm',
    file: answers,
    find: "return { kind: 'nacked', message, queues, mayBeThere: !isRefusal(rules, address) }",
    replace: "return { kind: 'confirmed', messages: [message] }",
  },
  {
    name: 'a re-drive takes no answer for a confirm',
    file: answers,
    find: "return { kind: 'unanswered', message, cause, mayBeThere, largestBytes: largestTaken(result) }",
    replace: "return { kind: 'confirmed', messages: [message] }",
  },
  {
    name: 'the window of a re-drive is not bounded',
    file: pump,
    find: 'return flow.unanswered + flow.copying + flow.unproved < size && flow.unansweredBytes < mostBytes',
    replace: 'return true',
    also: [
      {
        file: 'recovery/redrive/decide-prefetch.ts',
        find: 'Math.min(window, limit, mostBySize)',
        replace: 'Math.min(limit, mostBySize)',
      },
    ],
  },
  {
    name: 'a re-drive acknowledges what failed',
    file: 'recovery/redrive/confirm-messages.ts',
    find: "commands.push({ kind: 'hold', message, why: 'failed' })",
    replace: "commands.push({ kind: 'ack', messages: [message] })",
  },
  {
    name: 'a receipt counts arrivals as moved',
    file: receipt,
    find: '    moved,\n    failed,\n    kept,\n    stillThere,\n    published',
    replace: '    moved: moved + (arrivals ?? 0),\n    failed,\n    kept,\n    stillThere,\n    published',
  },
  {
    name: 'a receipt forgets copies that went twice',
    file: receipt,
    find: 'published: numbers.published,',
    replace: 'published: moved,',
  },
  {
    name: 'a receipt is silent about publishes without an answer',
    file: 'recovery/redrive/redrive-numbers.ts',
    find: 'unanswered: counts.mayBeThere,',
    replace: 'unanswered: 0,',
  },
  {
    name: 'a lost lock goes unnoticed',
    file: 'recovery/redrive/redrive-lock.ts',
    find: 'return this.#lock?.isHeld === true',
    replace: 'return this.#lock !== undefined',
    also: [
      {
        file: 'recovery/redrive/redrive-lock.ts',
        find: "if (this.#lock?.isHeld) return 'held' // only a channel was lost",
        replace: "if (this.#lock) return 'held'",
      },
      {
        // The second look at the end of each pass.
        file: 'recovery/redrive/redrive-lock.ts',
        find: "const retaken = this.#lock?.isHeld ? 'held' : await this.retake()",
        replace: "if (this.#lock) return 'held'\n    const retaken = await this.retake()",
      },
    ],
  },
  {
    name: 'a lock that somebody has counts as taken',
    file: 'recovery/lock/lock-steps.ts',
    find: "error.replyCode === resourceLocked) return 'taken'",
    replace: "error.replyCode === resourceLocked) return 'mine'",
  },
  {
    name: 'a discard acknowledges before the file is checked',
    file: 'recovery/backup/removing.ts',
    find: '    await this.#writer.prove()\n',
    replace: '',
  },
  {
    name: 'a restore writes down what nobody took',
    file: 'recovery/backup/restore-run.ts',
    find: "resolve(result.kind === 'confirmed' ? 'taken' : describeFailure(address, result).kind)",
    replace: "resolve('taken')",
  },
  {
    name: 'a restore begins anew and forgets the last one',
    file: 'recovery/backup/restore-run.ts',
    find: 'else if (journal.has(record)) this.#counts.restoredBefore += 1\n',
    replace: '',
  },
  {
    name: 'the audit log is not chained',
    file: 'packages/cli/src/http-api/audit/audit-log.ts',
    find: "end = result.kind === 'confirmed' ? record : beginChain()",
    replace: 'void record',
  },
  {
    name: 'the audit log says that it has what was not confirmed',
    file: 'packages/cli/src/http-api/audit/audit-log.ts',
    find: "if (result.kind === 'confirmed') return record",
    replace: 'if (result) return record',
  },
  {
    name: 'a record that is sent again looks like a copy',
    file: 'packages/cli/src/http-api/records/publish-sealed.ts',
    find: 'again: { ...first, headers: { [sealHeader]: again } }',
    replace: 'again: first',
  },
  {
    name: 'a copy of a record is believed',
    file: 'packages/cli/src/http-api/records/decide-repeat.ts',
    find: "if (isSentAgain ? again : first) return 'replayed'",
    replace: '',
  },
  {
    name: 'a request whose caller is gone keeps its process alive',
    file: 'broker/management/open-management.ts',
    find: 'closing.abort(closedError(address))',
    replace: '',
    also: [{ file: 'recovery/redrive/redrive-run.ts', find: 'this.#over.abort()', replace: '' }],
  },
  {
    name: 'records of servers are not signed',
    file: 'packages/cli/src/http-api/audit/audit-log.ts',
    find: 'sealMessage(seals, { stream: auditStream, type: record.action, record })',
    replace: 'sealMessage(undefined, { stream: auditStream, type: record.action, record })',
  },
  {
    name: 'the task of a server that is gone stays running',
    file: 'packages/cli/src/http-api/tasks/watch-servers.ts',
    find: 'if (!(await isServerThere(watch.broker, presence))) missing.add(presence)',
    replace: 'if (presence === "") missing.add(presence)',
  },
  {
    name: 'a task that was cut short counts as done',
    file: 'packages/cli/src/http-api/tasks/task-state.ts',
    find: "return outcome === 'done' || outcome === 'cancelled' ? outcome : 'stopped'",
    replace: "return outcome === 'cancelled' ? 'cancelled' : 'done'",
  },
  {
    name: 'the progress of a task is not that of its receipt',
    file: 'packages/cli/src/http-api/tasks/task-run.ts',
    find: 'moved: movedBefore + counts.moved,',
    replace: 'moved: movedBefore + counts.moved + counts.failed,',
  },
  {
    name: 'messages of one key are handled at a time',
    file: 'consumer/consumer.ts',
    find: 'this.#reading = { decode, orderBy,',
    replace: 'this.#reading = { decode, orderBy: orderBy && ((message) => message.id),',
  },
  {
    name: 'metrics count a delivery twice',
    file: 'consumer/observe/consumer-metrics.ts',
    find: "settled.add(queue, outcome.kind, outcome.kind === 'dead-letter' ? outcome.reason : '')",
    replace:
      "settled.add(queue, outcome.kind, outcome.kind === 'dead-letter' ? outcome.reason : ''); if (outcome.kind === 'acknowledge') settled.add(queue, outcome.kind, '')",
  },
  {
    name: 'a dedupe claim is lost when another asks for it',
    file: 'consumer/middleware/memory-dedupe-store.ts',
    find: "if (entry) return entry.token === undefined ? 'done' : 'busy'",
    replace: "if (entry && entry.token === undefined) return 'done'",
  },
  {
    name: 'what is done is not remembered',
    file: 'consumer/middleware/dedupe.ts',
    find: 'keepMs: isDone ? keepMs : undefined',
    replace: 'keepMs: undefined',
  },
  {
    name: 'a message that failed is remembered as done',
    file: 'consumer/middleware/dedupe.ts',
    find: 'keepMs: isDone ? keepMs : undefined',
    replace: 'keepMs',
  },
  {
    name: 'a pause that the broker refused to record is not told again',
    file: 'packages/cli/src/http-api/tasks/task-run.ts',
    find: "this.#told = '' // it is told again, although nothing else changes",
    replace: '',
  },
  {
    name: 'a message that ends its consumers is never parked',
    file: 'consumer/decide/decide-admission.ts',
    find: "if (runsAlone >= limit) return { kind: 'poisonous', runsAlone }",
    replace: '',
    // On a quorum queue of the layout warren the broker's own limit would do it.
    also: [
      {
        file: 'topology/layouts/warren.ts',
        find: "{ 'x-delivery-limit': of.poisonLimit }",
        replace: "{ 'x-delivery-limit': 1_000_000 }",
      },
    ],
  },
  {
    name: 'the delivery limit is ignored',
    file: 'consumer/decide/decide-admission.ts',
    find: 'Math.ceil(Math.min(poisonLimit, deliveryLimit) / 2)',
    replace: 'Math.ceil(poisonLimit / 2)',
    also: [
      {
        file: 'consumer/settle/near-limit.ts',
        find: 'return countUnanswered(headers, version, rule.queue) >= Math.max(1, Math.ceil(limit / 2))',
        replace: 'return false',
      },
    ],
  },
  {
    name: 'whatever a dying process had in hand counts as poison',
    file: 'consumer/decide/decide-admission.ts',
    find: "return { kind: 'recount', deliveries, why: 'suspected', runsAlone: 0 }",
    replace: "return { kind: 'poisonous', runsAlone: 0 }",
  },
]
