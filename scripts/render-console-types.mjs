import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'

/** The types of the API for the console: its paths with their answers, each problem in one shape, and no prose. */
export async function renderConsoleTypes(document) {
  const nodes = await openapiTS(JSON.stringify(withOneProblem(document)))
  const text = ts.createPrinter({ removeComments: true }).printFile(sourceOf(astToString(nodes)))
  return `// Made by scripts/generate-files.mjs from the contract of the API. Do not edit.\n${text}`
}

function sourceOf(text) {
  return ts.createSourceFile('api.d.ts', text, ts.ScriptTarget.ES2023)
}

/** Whatever is not a success is a problem, so that it need not be said for every status. */
function withOneProblem({ paths, ...rest }) {
  const problem = { $ref: '#/components/schemas/Problem' }
  const otherwise = { description: 'A problem', content: { 'application/problem+json': { schema: problem } } }
  const shorten = ({ responses, ...operation }) => {
    const successes = Object.entries(responses).filter(([status]) => /^2/.test(status))
    return { ...operation, responses: { ...Object.fromEntries(successes), default: otherwise } }
  }
  const mapEntries = (object, change) =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
  return { ...rest, paths: mapEntries(paths, (operations) => mapEntries(operations, shorten)) }
}
