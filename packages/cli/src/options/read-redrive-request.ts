import { type Command, InvalidArgumentError as InvalidOptionError } from 'commander'
import { parseRequest, type RedriveRequest, redriveRequestSchema } from 'warrenmq/operations'
import type { CommandInput } from '../command.ts'
import { readEdit } from './read-edit.ts'
import {
  addKeyOption,
  addQueueOptions,
  addWhereOption,
  readCount,
  readQueueRequest,
  readTime,
  requestOption,
} from './request-options.ts'

const fields = redriveRequestSchema.properties ?? {}
const canaryFields = fields.canary?.properties ?? {}
const windowFields = fields.window?.properties ?? {}

/** Every field of a re-drive's request as an option. */
export function addRedriveOptions(command: Command): void {
  command
    .addOption(requestOption('--to <target>', fields.to))
    .addOption(requestOption('--trust-headers', fields.trustHeaders))
    .addOption(requestOption('--attempts <rule>', fields.attempts))
    .addOption(requestOption('--limit <n>', fields.limit).argParser(readCount))
    .addOption(requestOption('--rate <n>', fields.ratePerSecond).argParser(readCount))
    .addOption(requestOption('--wait <time>', fields.wait).argParser(readTime))
    .addOption(requestOption('--window <n>', windowFields.messages).argParser(readCount))
    .addOption(requestOption('--window-bytes <n>', windowFields.bytes).argParser(readCount))
    .addOption(requestOption('--canary <n>', fields.canary).argParser(readCount))
    .addOption(requestOption('--canary-wait <time>', canaryFields.wait).argParser(readTime))
    .addOption(requestOption('--stop-when-dead <n>', fields.stopWhenDead).argParser(readDeadLimit))
    .addOption(requestOption('--stop-when-target-above <n>', fields.stopWhenTargetAbove).argParser(readCount))
    .option(
      '--edit <file>',
      'change one message: a JSON file with body, headers or both; null removes a header',
    )
    .addOption(requestOption('--reason <text>', fields.reason))
  addWhereOption(command, fields)
  addKeyOption(command)
  addQueueOptions(command, fields)
}

/** What the command was asked for. Reads the file that `--edit` names. */
export async function readRedriveRequest({ options, args }: CommandInput): Promise<RedriveRequest> {
  const { to, trustHeaders, attempts, limit, rate, wait, reason, edit } = options
  const { stopWhenDead, stopWhenTargetAbove } = options
  const asked = {
    queue: args[0],
    ...readQueueRequest(options),
    keys: options.key,
    to,
    trustHeaders,
    attempts,
    limit,
    ratePerSecond: rate,
    wait,
    window: readWindow(options),
    canary: readCanary(options),
    stopWhenDead,
    stopWhenTargetAbove,
    edit: typeof edit === 'string' ? await readEdit(edit) : undefined,
    reason,
  }
  return parseRequest('dlq redrive', asked, redriveRequestSchema)
}

function readWindow({ window, windowBytes }: CommandInput['options']): object | undefined {
  if (window === undefined && windowBytes === undefined) return undefined
  return {
    ...(window !== undefined && { messages: window }),
    ...(windowBytes !== undefined && { bytes: windowBytes }),
  }
}

function readCanary({ canary, canaryWait }: CommandInput['options']): object | undefined {
  if (canary === undefined) return undefined
  return { messages: canary, ...(canaryWait !== undefined && { wait: canaryWait }) }
}

function readDeadLimit(text: string): number | string {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? []
  const value = Number(digits)
  if (percent === '%' && value > 0 && value <= 100) return text
  if (percent === '' && Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidOptionError('It must be a number such as 20, or a percentage such as 5%.')
}
