/**
 * Also an error of another realm, as Jest and `node:vm` have them: there the errors of Node itself are not `instanceof Error`.
 * Never throws, whatever it is given.
 */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error || errorTags.includes(Object.prototype.toString.call(value))
  } catch {
    return false
  }
}

const errorTags = ['[object Error]', '[object DOMException]']
