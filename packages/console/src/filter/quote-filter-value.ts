/** A value as the filter's grammar takes it: in quotation marks, unless it is one plain word. */
export function quoteFilterValue(value: string): string {
  return /^[\w.-]+$/.test(value) ? value : `"${value.replaceAll(/[\\"]/g, '\\$&')}"`
}
