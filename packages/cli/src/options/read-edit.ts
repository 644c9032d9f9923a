import { readFile } from 'node:fs/promises'
import { InvalidArgumentError } from 'warrenmq'
import { compileEdit, type EditRequest } from 'warrenmq/operations'
import { isTooDeep } from '../config/is-too-deep.ts'

/** What `--edit` names: a JSON object with the new body, headers, or both. */
export async function readEdit(file: string): Promise<EditRequest> {
  const { body, headers } = parseEdit(await readText(file), file)
  return {
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(headers !== undefined && { headers }),
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw refusal(`${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

function parseEdit(text: string, file: string): { body?: unknown; headers?: EditRequest['headers'] } {
  const edit = parseJson(text, file)
  if (isTooDeep(edit, mostBodyLevels))
    throw refusal(
      `${file} is nested more than ${mostBodyLevels} levels deep. Publish such a message yourself.`,
    )
  if (!isObject(edit)) throw refusal(`${file} must hold an object${example}`)
  const unknown = Object.keys(edit).find((name) => name !== 'body' && name !== 'headers')
  if (unknown !== undefined)
    throw refusal(`${file} has "${unknown}"; only body and headers are allowed${example}`)
  if (Object.keys(edit).length === 0)
    throw refusal(`${file} changes nothing; it must hold an object${example}`)
  if (edit.headers !== undefined && !isObject(edit.headers))
    throw refusal(`"headers" in ${file} must be an object${example}`)
  checkHeaders(edit.headers, file)
  return edit
}

function checkHeaders(headers: EditRequest['headers'], file: string): void {
  if (headers === undefined) return
  try {
    compileEdit({ headers })
  } catch (error) {
    throw refusal(`${file}: ${(error as Error).message}`, { cause: error })
  }
}

/** A body may be deep, as long as it can be written. */
const mostBodyLevels = 1_000

const example = ' such as { "body": …, "headers": { … } }.'

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw refusal(`${file} is not JSON: ${(cause as Error).message}`, { cause })
  }
}

function isObject(value: unknown): value is Record<string, never> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function refusal(problem: string, options?: ErrorOptions): InvalidArgumentError {
  return new InvalidArgumentError(`Nothing was moved (--edit): ${problem}`, options)
}
