/** What there is to do in steps, between which others can have their turn. */
export type InSteps<Result> = Generator<undefined, Result, undefined>
