/** 1 for each message that is selected; undefined: all are. */
export type Marks = Uint8Array | undefined
