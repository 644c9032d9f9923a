import { didYouMean } from 'warrenmq/operations'

/** What the validator of requests finds wrong, as far as it is read here. */
export interface RequestMistake {
  readonly keyword?: string
  readonly instancePath?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly message?: string | undefined
  /** The schema that the value does not fit. */
  readonly parentSchema?: unknown
}

/** What is wrong with a request, with the name of what is wrong: `body.limit must be integer`. */
export function explainRequest(mistakes: readonly RequestMistake[], place: string): string {
  const [first] = mistakes
  const { keyword, instancePath = '', params = {}, message = 'is not valid' } = first ?? {}
  const where = `${places[place] ?? place}${instancePath.replaceAll('/', '.')}`
  switch (keyword) {
    case 'additionalProperties':
      return `${where}.${String(params.additionalProperty)} is unknown; ${sayKnown(first!)}`
    case 'required':
      return `${where}.${String(params.missingProperty)} is missing`
    case 'enum':
      return `${where} must be ${(params.allowedValues as readonly unknown[]).map((each) => JSON.stringify(each)).join(' or ')}`
    case 'pattern':
      return `${where} ${sayExpected(first!) ?? message}`
    default:
      return `${where} ${message}`
  }
}

/** As who sends it calls it. */
const places: Readonly<Record<string, string>> = { querystring: 'query', params: 'path' }

/** A pattern says nothing to most people; where the schema has words for it, they do. */
function sayExpected({ parentSchema }: RequestMistake): string | undefined {
  const { description } = (parentSchema ?? {}) as { description?: string }
  return description && `is not valid. Expected: ${description}`
}

function sayKnown({ params = {}, parentSchema }: RequestMistake): string {
  const { properties = {} } = (parentSchema ?? {}) as { properties?: object }
  const known = Object.keys(properties)
  if (known.length === 0) return 'nothing is expected there'
  return `allowed: ${known.join(', ')}${didYouMean(String(params.additionalProperty), known)}`
}
