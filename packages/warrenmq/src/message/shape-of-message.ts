/**
 * The text with zeros for all its digits. `normaliseMessage` gives the same for both, and errors of one cause that
 * differ in numbers have one shape, so what was worked out for one is known for all. Text in which it matters
 * what a digit is stays as it is.
 */
export function shapeOfMessage(message: string): string {
  return doDigitsMatter(message) ? message : message.replace(/[1-9]/g, '0')
}

/** Whether errors that differ in their digits alone may have different causes. */
export function doDigitsMatter(message: string): boolean {
  return digitsMatter.test(message)
}

/** A status is kept, 0x begins a hexadecimal number, and ::1 is a host. */
const digitsMatter = /status|http|\dx|::/i
