/** The numbers of values, side by side, each in as many bytes as the largest takes. */
export type Codes = Uint8Array | Uint16Array | Uint32Array
