/** A field that has few values, as a number for each message. */
export interface CodedColumn<Value> {
  readonly codes: Uint16Array | Uint32Array
  readonly values: readonly Value[]
}
