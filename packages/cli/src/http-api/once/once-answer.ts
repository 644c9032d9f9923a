/** What was answered to a request, as it is given again to who sends it once more. */
export interface OnceAnswer {
  readonly status: number
  readonly location: string | null
  readonly body: unknown
}
